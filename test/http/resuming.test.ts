import { TerminalFeedMessage } from "@nacre/contracts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { ReadEvent } from "../../packages/host/src/transports/http/testing/read-events.ts";
import {
  channelsPath,
  entriesOf,
  envelopeOf,
  isEntryOf,
  listen,
  stored,
  type,
} from "./listening.ts";
import { HttpRig } from "./http-rig.ts";

let rig: HttpRig;

beforeAll(async () => {
  rig = await HttpRig.open();
});

afterAll(async () => {
  await rig[Symbol.asyncDispose]();
});

describe("resuming", () => {
  test("after an event goes on behind it while events are kept", async () => {
    const id = await rig.create("cat");
    let lastId = "";
    {
      using reader = await listen(rig, channelsPath(`${id}.*`));
      await type(rig, id, "one\r");
      lastId = (await reader.until(isEntryOf(id, "output"))).at(-1)?.id ?? "";
    }
    await type(rig, id, "two\r");
    using again = await listen(rig, channelsPath(`${id}.*`), { lastEventId: lastId });
    const heard = await again.until((one) => JSON.stringify(envelopeOf(one) ?? "").includes("two"));
    expect(heard.map(({ event }) => event)).not.toContain("resync");
    expect(JSON.stringify(heard.filter(isEntryOf(id, "input")))).not.toContain("one");
  });

  test("after an event that nobody knows begins with a resync", async () => {
    const id = await rig.create("cat");
    for (const path of [`${id}.*`, "terminal:*.recordingEntry.appended"]) {
      using reader = await listen(rig, channelsPath(path), { lastEventId: "earlier-17@3" });
      expect(await reader.next()).toMatchObject({ event: "connected" });
      expect(await reader.next()).toMatchObject({ event: "resync", data: { type: "resync" } });
    }
  });

  test("entries of one terminal come from the store, whatever the bus forgot", async () => {
    const id = await rig.create("echo one; echo two");
    await rig.untilEnded(id);
    const all = await stored(rig, id);
    for (const lastEventId of ["@0", "earlier-17@2", `recorded-1@${all.length - 1}`]) {
      const after = Number(lastEventId.split("@")[1]);
      using reader = await listen(rig, channelsPath(entriesOf(id)), { lastEventId });
      const heard = await reader.until(isEntryOf(id, "exit"));
      const payloads = heard.flatMap((one) => envelopeOf(one)?.payload ?? []);
      expect(payloads).toEqual(all.filter(({ sequence }) => sequence > after));
      expect(heard.map(({ event }) => event)).not.toContain("resync");
    }
    using asked = await listen(rig, `${channelsPath(entriesOf(id))}&after=@1`);
    expect((await asked.until(isEntryOf(id, "exit"))).length).toBe(all.length);
  });
});

/** Prints lines in small pieces with pauses, so that connections are lost in the midst of it. */
const BUSY = "for i in $(seq 150); do echo line $i; sleep 0.01; done";

/** Leaves after a few events, again and again, and goes on where it was. */
async function hearInPieces(
  path: string,
  options: { readonly seed: number; isLast(heard: ReadEvent): boolean },
): Promise<{ readonly events: ReadEvent[]; readonly drops: number }> {
  const events: ReadEvent[] = [];
  let { seed } = options;
  let lastId = "";
  for (let drops = 0; ; drops += 1) {
    using reader = await listen(rig, path, { lastEventId: lastId === "" ? undefined : lastId });
    seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31;
    const count = seed % 12;
    for (let heardHere = 0; heardHere <= count; heardHere += 1) {
      const heard = await reader.next();
      if (heard === undefined) break;
      if (heard.id !== undefined) lastId = heard.id;
      if (heard.event !== "connected") events.push(heard);
      if (options.isLast(heard)) return { events, drops };
    }
  }
}

describe("a connection that is lost again and again", () => {
  test("leaves a listener with every entry once and in order", async () => {
    const id = await rig.create(BUSY);
    const path = `${channelsPath(entriesOf(id))}&after=@0`;
    const isLast = isEntryOf(id, "exit");
    const all = await Promise.all([7, 42, 99].map((seed) => hearInPieces(path, { seed, isLast })));
    const entries = await stored(rig, id);
    expect(entries.length).toBeGreaterThan(50);
    for (const { events, drops } of all) {
      expect(drops).toBeGreaterThan(5);
      expect(events.map((one) => envelopeOf(one)?.payload)).toEqual(entries);
    }
  });

  test("leaves a viewer with every entry once and in order", async () => {
    const id = await rig.create(BUSY);
    const path = `/api/terminals/${id}/feed?after=0`;
    const isLast = ({ event }: ReadEvent): boolean => event === "end";
    const { events, drops } = await hearInPieces(path, { seed: 5, isLast });
    const told = events
      .filter(({ event }) => event !== "end")
      .map(({ data }) => TerminalFeedMessage.parse(data))
      .map((message) => (message.kind === "entry" ? message.entry : message.kind));
    expect(drops).toBeGreaterThan(5);
    expect(told).toEqual(await stored(rig, id));
  });
});

describe("a feed", () => {
  test("begins with a snapshot whose sequence is its id, also of what has ended", async () => {
    const id = await rig.create("echo hello");
    await rig.untilEnded(id);
    using reader = await listen(rig, `/api/terminals/${id}/feed`);
    const heard = await reader.until(({ event }) => event === "end");
    const names = heard.map(({ event }) => event);
    expect(names.slice(0, 2)).toEqual(["connected", "snapshot"]);
    expect(new Set(names.slice(2, -1))).not.toContain("snapshot");
    const { screen } = TerminalFeedMessage.parse(heard[1]?.data) as {
      screen: { sequence: number };
    };
    expect(heard[1]?.id).toBe(String(screen.sequence));
  });

  test("of a terminal that is not there is refused as a request", async () => {
    expect(await rig.ask("GET", "/api/terminals/terminal:nobody/feed")).toMatchObject({
      status: 404,
      body: { error: { code: "terminal_not_found" } },
    });
  });
});

test("nothing failed that nobody was told of", () => {
  expect(rig.problems).toEqual([]);
});
