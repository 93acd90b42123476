import { request as httpRequest } from "node:http";
import { setImmediate as nextTurn } from "node:timers/promises";
import { CAST_MEDIA_TYPE, MAX_IMPORT_BYTES, NacreError } from "@nacre/contracts";
import { expect, test } from "vitest";
import { openRaw, startRouter } from "./testing/router-rig.ts";

const EXPORT = "/api/recordings/terminal:a1/export";

const bytes = (text: string): Uint8Array<ArrayBuffer> => new Uint8Array(Buffer.from(text));

test("an export is sent as it comes, as a file that no browser shows", async () => {
  await using rig = await startRouter();
  rig.operations.pieces = async function* () {
    yield bytes("<p>one");
    yield bytes(" two");
  };
  const response = await rig.fetch(`${EXPORT}?format=html&input=true&fromSequence=3`);
  expect(await response.text()).toBe("<p>one two");
  expect(Object.fromEntries(response.headers)).toMatchObject({
    "content-type": "text/html",
    "content-disposition": 'attachment; filename="terminal-a1.html"',
    "content-security-policy": "sandbox; default-src 'none'; frame-ancestors 'none'",
    "x-content-type-options": "nosniff",
    "cache-control": "no-store",
    "transfer-encoding": "chunked",
  });
  expect(rig.operations.asked).toMatchObject([
    { input: { id: "terminal:a1", format: "html", input: true, fromSequence: 3 } },
  ]);
  const head = await rig.fetch(EXPORT, { method: "HEAD" });
  expect(head.headers.get("content-disposition")).toContain("terminal-a1.html");
});

test("an export that fails before it begins is refused, and one that fails later breaks off", async () => {
  await using rig = await startRouter();
  rig.operations.pieces = async function* () {
    yield* [];
    throw new NacreError("terminal_not_found", "it is gone");
  };
  const refused = await rig.fetch(EXPORT);
  expect([refused.status, refused.headers.get("content-disposition")]).toEqual([404, null]);
  expect(await refused.json()).toMatchObject({ error: { code: "terminal_not_found" } });
  rig.operations.pieces = async function* () {
    yield bytes("a part");
    throw new Error("the disk broke");
  };
  const whole = async (): Promise<string> => (await rig.fetch(EXPORT)).text();
  await expect(whole()).rejects.toThrow(/terminated|fetch failed/);
  expect(rig.problems).toHaveLength(1);
});

test("nothing is fetched for a reader that does not read, and the export ends with it", async () => {
  await using rig = await startRouter();
  const ended = Promise.withResolvers<void>();
  let taken = 0;
  rig.operations.pieces = async function* () {
    try {
      for (;;) {
        taken += 1;
        yield new Uint8Array(64 * 1024);
      }
    } finally {
      ended.resolve();
    }
  };
  const response = await openRaw(rig.url + EXPORT);
  // Buffers of the kernel fill up first; then nothing more is taken for many turns.
  for (let last = -1; taken !== last;) {
    last = taken;
    for (let turn = 0; turn < 1000; turn += 1) await nextTurn();
  }
  expect(taken).toBeLessThan(1000);
  response.destroy();
  await ended.promise;
});

test("a reader that takes nothing for too long is let go", async () => {
  await using rig = await startRouter({ streams: { stallMs: 10 } });
  const ended = Promise.withResolvers<string>();
  rig.operations.pieces = async function* () {
    try {
      for (;;) yield new Uint8Array(64 * 1024);
    } finally {
      ended.resolve("ended");
    }
  };
  const response = await openRaw(rig.url + EXPORT);
  expect(await ended.promise).toBe("ended");
  response.destroy();
});

const cast = (body: BodyInit, headers: Record<string, string> = {}): RequestInit => ({
  method: "POST",
  headers: { "content-type": CAST_MEDIA_TYPE, ...headers },
  body,
});

test("an import takes the body as it is, however large, and its input from the query", async () => {
  await using rig = await startRouter();
  const path = "/api/recordings?owner.entityName=Task&owner.entityId=7&workingDirectory=/tmp";
  const response = await rig.fetch(path, cast(new Uint8Array(3 * 1024 * 1024)));
  expect([response.status, await response.json()]).toEqual([
    201,
    { id: "terminal:a1", entries: 3 * 1024 * 1024 },
  ]);
  const input = { owner: { entityName: "Task", entityId: "7" }, workingDirectory: "/tmp" };
  expect(rig.operations.asked).toMatchObject([{ name: "importRecording", input }]);
});

test("an import that is compressed or said to be too large is refused before it is read", async () => {
  await using rig = await startRouter();
  const packed = await rig.fetch("/api/recordings", cast("x", { "content-encoding": "gzip" }));
  expect(packed.status).toBe(400);
  const { promise, resolve } = Promise.withResolvers<number | undefined>();
  const request = httpRequest(`${rig.url}/api/recordings`, {
    method: "POST",
    headers: { "content-type": CAST_MEDIA_TYPE, "content-length": MAX_IMPORT_BYTES + 1 },
  });
  request.on("response", ({ statusCode }) => resolve(statusCode));
  request.on("error", () => undefined);
  request.flushHeaders();
  expect(await promise).toBe(413);
  request.destroy();
});

test("a request that wants JSON does not take a cast for it", async () => {
  await using rig = await startRouter();
  const response = await rig.fetch("/api/terminals", cast("{}"));
  expect(response.status).toBe(400);
  expect(rig.operations.asked).toEqual([]);
});
