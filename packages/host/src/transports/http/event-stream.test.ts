import { createServer, type Server } from "node:http";
import { setImmediate as nextTurn } from "node:timers/promises";
import { expect, test } from "vitest";
import { EventStream } from "./event-stream.ts";
import { openRaw, startRouter } from "./testing/router-rig.ts";
import { readEvents, takeEvents } from "./testing/read-events.ts";

const EVENTS = "/api/events?channel=*";

const event = (number: number, text = "") => ({
  type: "event" as const,
  event: {
    eventId: `run-${number}`,
    entityId: "terminal:a1",
    channel: "terminal:a1.data.changed",
    eventName: "data.changed",
    kind: "terminal.data.changed",
    occurredAt: "2026-01-01T00:00:00.000Z",
    payload: { text },
  },
});

test("a stream begins with `connected` and gives each message with its name and id", async () => {
  await using rig = await startRouter();
  const opened = rig.operations.nextFeed<"entityEvents">();
  const events = readEvents(await rig.fetch("/api/events?channel=terminal:a1.*,terminal:b2.*"));
  (await opened).say(event(1, "two\nlines\r\0\u2028"), { type: "resync", reason: "lost" });
  expect(await takeEvents(events, 3)).toEqual([
    { event: "connected", data: { channels: ["terminal:a1.*", "terminal:b2.*"] } },
    { event: "event", id: "run-1", data: event(1, "two\nlines\r\0\u2028") },
    { event: "resync", data: { type: "resync", reason: "lost" } },
  ]);
});

test("a quiet stream has a heartbeat, and the headers of every answer", async () => {
  await using rig = await startRouter({ streams: { heartbeatMs: 5 } });
  const response = await rig.fetch(EVENTS);
  const events = await takeEvents(readEvents(response), 3);
  expect(events.map((one) => one.event)).toEqual(["connected", "comment", "comment"]);
  expect(response.headers.get("content-type")).toBe("text/event-stream; charset=utf-8");
  expect(response.headers.get("cache-control")).toBe("no-store");
});

test("a feed that fails says so as its last event, and a bug says nothing of itself", async () => {
  await using rig = await startRouter();
  const opened = rig.operations.nextFeed<"entityEvents">();
  const events = readEvents(await rig.fetch(EVENTS));
  (await opened).end(new Error("secret canary"));
  const [, failure, ...rest] = await takeEvents(events, 5);
  expect(failure).toMatchObject({ event: "error", data: { error: { code: "internal" } } });
  expect(JSON.stringify(failure)).not.toContain("canary");
  expect(rest).toEqual([]);
  expect(rig.problems).toHaveLength(1);
});

test("a stream that cannot begin is refused as a request", async () => {
  await using rig = await startRouter({
    openStream: () => {
      throw new Error("too many");
    },
  });
  expect((await rig.fetch(EVENTS)).status).toBe(500);
  expect((await rig.fetch("/api/events")).status).toBe(400);
  expect(rig.operations.feeds).toHaveLength(0);
});

test("leaving ends the feed, its signal fires and the place of the stream is free", async () => {
  let open = 0;
  await using rig = await startRouter({
    openStream: () => {
      open += 1;
      return { [Symbol.dispose]: () => void (open -= 1) };
    },
  });
  const opened = rig.operations.nextFeed<"entityEvents">();
  const leave = new AbortController();
  const response = await rig.fetch(EVENTS, { signal: leave.signal });
  await takeEvents(readEvents(response), 1);
  const feed = await opened;
  expect(open).toBe(1);
  leave.abort();
  await feed.ended.promise;
  await expect.poll(() => open).toBe(0);
  expect(rig.operations.asked[0]?.context.signal?.aborted).toBe(true);
});

test("for a reader that does not read nothing piles up, and it is let go", async () => {
  await using rig = await startRouter({ streams: { stallMs: 200 } });
  const opened = rig.operations.nextFeed<"entityEvents">();
  await openRaw(rig.url + EVENTS);
  const feed = await opened;
  const text = "x".repeat(64 * 1024);
  const messages = Array.from({ length: 1000 }, (_, index) => event(index, text));
  feed.say(...messages);
  await feed.ended.promise;
  // What the buffers of the system take, and one more; the rest was never fetched.
  expect(feed.taken).toBeGreaterThan(0);
  expect(feed.taken).toBeLessThan(500);
});

test("a reader that reads slowly gets everything in order", async () => {
  await using rig = await startRouter();
  const opened = rig.operations.nextFeed<"entityEvents">();
  const response = await rig.fetch(EVENTS);
  const feed = await opened;
  const text = "x".repeat(64 * 1024);
  feed.say(...Array.from({ length: 100 }, (_, index) => event(index, text)));
  feed.end();
  const ids: unknown[] = [];
  for await (const { id } of readEvents(response)) {
    await nextTurn();
    ids.push(id);
  }
  expect(ids.slice(1)).toEqual(Array.from({ length: 100 }, (_, index) => `run-${index}`));
});

test("a stream whose reader was gone before it began writes nothing and leaves no timer", async () => {
  const served = Promise.withResolvers<void>();
  const server: Server = createServer((_request, response) => {
    response.destroy();
    const gone = AbortSignal.abort();
    using stream = new EventStream({ response, signal: gone }, { heartbeatMs: 1 });
    void stream.write({ event: "late", data: 1 }).then(served.resolve, served.reject);
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  const address = server.address();
  const port = typeof address === "object" && address ? address.port : 0;
  await expect(fetch(`http://127.0.0.1:${port}/`)).rejects.toThrow("fetch failed");
  await expect(served.promise).resolves.toBeUndefined();
  server.close();
});
