import { writeFileSync } from "node:fs";
import { afterAll, describe, expect, test } from "vitest";
import { terminalId, terminalRow } from "../testing/terminal-row.ts";
import type { Fact } from "./recorded-entry.ts";
import { Recordings } from "./recordings.ts";
import {
  A,
  bytes,
  exported,
  kindsOf,
  Output,
  TestDirectory,
  verdictOf,
} from "./testing/recordings.ts";

const directory = new TestDirectory();
afterAll(() => directory[Symbol.dispose]());

describe.each(kindsOf(directory))("recordings %s", (_name, options) => {
  const opened = () => Recordings.open(options());

  test("what is appended has its sequence, its time and its bytes once it is committed", async () => {
    await using recordings = await opened();
    const recording = await recordings.create(terminalRow("a"));
    const header = await recording.append({ type: "header", cols: 80, rows: 24 });
    expect(header).toMatchObject({ sequence: 1, id: "terminal_recording_entry:a-1", cols: 80 });
    const data = new Uint8Array([0xff, 0, 1]);
    const entry = await recording.append({ type: "output", offset: 0, data });
    expect(entry).toMatchObject({
      sequence: 2,
      type: "output",
      data: new Uint8Array([0xff, 0, 1]),
    });
    const page = await recordings.findEntries({ terminalId: A, after: 1 });
    expect(page).toMatchObject({
      entries: [{ sequence: 2, type: "output", data: "/wAB", encoding: "base64", offset: 0 }],
      truncated: false,
    });
  });

  test("appends of many at once get sequences without hole or double", async () => {
    await using recordings = await opened();
    const recording = await recordings.create(terminalRow("a"));
    const all = await Promise.all(
      Array.from({ length: 1000 }, () => recording.append({ type: "clear" })),
    );
    expect(all.map(({ sequence }) => sequence)).toEqual(
      Array.from({ length: 1000 }, (_, n) => n + 1),
    );
  });

  test("pages and the window are bounded, and say how to go on", async () => {
    await using recordings = await opened();
    const recording = await recordings.create(terminalRow("a"));
    const output = new Output(recording);
    await Promise.all(
      Array.from({ length: 450 }, (_, n) =>
        n % 10 === 0 ? recording.append({ type: "clear" }) : output.write(`${n}\r\n`),
      ),
    );
    const first = await recordings.findEntries({ terminalId: A });
    expect(first.entries).toHaveLength(200);
    expect(first).toMatchObject({ truncated: true, nextAfter: 200 });
    const cleared = await recordings.findEntries({
      terminalId: A,
      types: ["clear"],
      after: 100,
      limit: 10,
    });
    expect(cleared.entries.map(({ sequence }) => sequence)).toEqual([
      101, 111, 121, 131, 141, 151, 161, 171, 181, 191,
    ]);
    const window = await recordings.readWindow(A);
    expect(window.entries.map(({ sequence }) => sequence)).toEqual(
      Array.from({ length: 200 }, (_, n) => n + 251),
    );
    expect(window.extent).toEqual({ firstSequence: 1, lastSequence: 450 });
  });

  test("readers see output without markers unless they ask for it raw, at the same place", async () => {
    await using recordings = await opened();
    const output = new Output(await recordings.create(terminalRow("a")));
    const marked = "\u001b]633;A;nacre=1.2\u0007$ \u001b]133;B\u001b\\ls\u001b]0;title\u0007é";
    await output.write(marked);
    await output.write("\u001b]633;D;0;nacre=3.4\u0007");
    await output.write("end");
    const shown = [
      { sequence: 1, data: "$ ls\u001b]0;title\u0007é", offset: 0 },
      { sequence: 2, data: "", offset: Buffer.byteLength(marked) },
      { sequence: 3, data: "end" },
    ];
    const input = { terminalId: A, after: 0 };
    expect((await recordings.findEntries(input)).entries).toMatchObject(shown);
    const stripped = await recordings.findEntries({ ...input, view: "stripped" });
    expect(stripped.entries).toMatchObject(shown);
    expect((await recordings.readWindow(A)).entries).toMatchObject(shown);
    const raw = await recordings.findEntries({ ...input, view: "raw", limit: 1 });
    expect(raw.entries).toMatchObject([{ sequence: 1, data: marked, offset: 0 }]);
    const [kept] = await recordings.readEntries({ ...input, limit: 1, maxBytes: 1 });
    expect(kept).toMatchObject({ data: bytes(marked) });
  });

  test("a terminal that is not there is said to be not there", async () => {
    await using recordings = await opened();
    const missing = expect.objectContaining({ code: "terminal_not_found" });
    await expect(recordings.findEntries({ terminalId: A })).rejects.toEqual(missing);
    await expect(recordings.readWindow(A)).rejects.toEqual(missing);
    await expect(recordings.resume(A)).rejects.toEqual(missing);
    await expect(recordings.delete(A)).rejects.toEqual(missing);
    expect(await verdictOf(recordings)).toMatchObject({ ok: false });
  });

  test("a sealed recording takes nothing more and is proven", async () => {
    await using recordings = await opened();
    const recording = await recordings.create(terminalRow("a"));
    await recording.append({ type: "header", cols: 80, rows: 24 });
    await recording.append({ type: "exit", exitCode: 0 });
    expect(await verdictOf(recordings)).toMatchObject({ ok: true, sealed: false });
    await recording.seal();
    await recording.seal();
    await expect(recording.append({ type: "clear" })).rejects.toMatchObject({ code: "conflict" });
    expect(await verdictOf(recordings)).toEqual({
      ok: true,
      entries: 2,
      firstSequence: 1,
      lastSequence: 2,
      sealed: true,
    });
  });

  test("a recording is exported in every form", async () => {
    await using recordings = await opened();
    const recording = await recordings.create(terminalRow("a", { name: "demo" }));
    await recording.append({ type: "header", cols: 40, rows: 10 });
    await new Output(recording).write("\u001b[1mhello\u001b[0m wörld\r\n10%\r20%\r\n");
    await recording.append({ type: "exit", exitCode: 0 });
    await recording.seal();
    expect(await exported(recordings, "raw")).toBe("\u001b[1mhello\u001b[0m wörld\r\n10%\r20%\r\n");
    expect(await exported(recordings, "text")).toBe("hello wörld\n20%\n");
    expect(await exported(recordings, "html")).toContain("wörld");
    expect((await exported(recordings, "jsonLines")).split("\n").filter(Boolean)).toHaveLength(3);
    expect(
      JSON.parse((await exported(recordings, "asciicast2")).split("\n")[0] ?? ""),
    ).toMatchObject({ version: 2, width: 40 });
    const cast = await exported(recordings, "asciicast3");
    const path = directory.next();
    writeFileSync(path, cast);
    const owner = { entityName: "Task", entityId: "8" };
    const imported = await recordings.import({ path, owner, workingDirectory: "/" });
    expect(imported).toMatchObject({ entries: 3, outcome: { complete: true } });
    await recordings.whenIndexed();
    const { hits } = await recordings.search({ text: "wörld", owner });
    expect(hits).toMatchObject([{ terminalId: imported.id, line: "hello wörld" }]);
    expect(await verdictOf(recordings, imported.id)).toMatchObject({ ok: true, sealed: true });
    await expect(
      recordings.import({ path: "/", owner, workingDirectory: "/" }),
    ).rejects.toMatchObject({
      code: "invalid_argument",
    });
  });

  test("retention removes by age and size, says what, and what is left is proven", async () => {
    await using recordings = await opened();
    const old = await recordings.create(terminalRow("old"));
    await old.appendAt({ type: "clear" }, { at: 1000, elapsedMs: 0 });
    await old.seal();
    const recording = await recordings.create(terminalRow("a"));
    await recording.append({ type: "header", cols: 100, rows: 30 });
    const output = new Output(recording);
    for (let n = 0; n < 10; n++) await output.write(`${n}`.repeat(100));
    const removed = await recordings.applyRetention({ maxAgeMs: 60_000, maxTerminalBytes: 450 });
    const old1 = { terminalId: terminalId("old"), reason: "age", throughSequence: 1 };
    const first7 = { terminalId: A, reason: "terminalBytes", throughSequence: 7 };
    expect(removed).toEqual([
      { ...old1, whole: true, entries: 1, bytes: 0 },
      { ...first7, whole: false, entries: 7, bytes: 600 },
    ]);
    expect(await recordings.readTerminal(terminalId("old"))).toBeUndefined();
    expect(await recordings.readExtent(A)).toEqual({ firstSequence: 8, lastSequence: 11 });
    await output.write("more");
    expect(await verdictOf(recordings)).toMatchObject({
      ok: true,
      firstSequence: 8,
      lastSequence: 12,
    });
    const cast = await exported(recordings, "asciicast3");
    expect(JSON.parse(cast.split("\n")[0] ?? "")).toMatchObject({ term: { cols: 100, rows: 30 } });
    const rest = await recordings.applyRetention({ maxTotalBytes: 150 });
    expect(rest).toMatchObject([{ terminalId: A, reason: "totalBytes" }]);
    expect((await recordings.readExtent(A)).firstSequence).toBeGreaterThan(8);
  });

  test("S-L11: what was appended just before is found, or the result says that it may not be", async () => {
    await using recordings = await opened();
    const output = new Output(await recordings.create(terminalRow("a")));
    await output.write("first needle\r\n");
    const found = await recordings.search({ text: "first needle" }, { maxLagMs: 30_000 });
    expect(found.hits).toHaveLength(1);
    expect(found).not.toHaveProperty("behind");
    await output.write("second needle\r\n");
    // Nobody catches up in no time.
    expect(await recordings.search({ text: "second needle" }, { maxLagMs: 0 })).toMatchObject({
      behind: true,
    });
  });

  test("a deleted terminal is found nowhere", async () => {
    await using recordings = await opened();
    const recording = await recordings.create(terminalRow("a"));
    await new Output(recording).write("needle\r\n");
    await recordings.whenIndexed();
    expect(await recordings.delete(A)).toBe(1);
    expect(await recordings.readTerminal(A)).toBeUndefined();
    expect((await recordings.search({ text: "needle" })).hits).toEqual([]);
    await expect(recording.append({ type: "clear" })).rejects.toMatchObject({
      code: "terminal_not_found",
    });
  });

  test("an entry that is too large is refused and the next one takes its place", async () => {
    await using recordings = await opened();
    const recording = await recordings.create(terminalRow("a"));
    const fact: Fact = { type: "output", offset: 0, data: new Uint8Array(1024 * 1024 + 1) };
    await expect(recording.append(fact)).rejects.toMatchObject({
      code: "payload_too_large",
      field: "data",
    });
    expect((await recording.append({ type: "clear" })).sequence).toBe(1);
  });
});

test("a recording goes on after its host was away, and its time with it", async () => {
  const options = { directory: directory.next() };
  {
    await using recordings = await Recordings.open(options);
    const recording = await recordings.create(terminalRow("a"));
    await recording.appendAt(
      { type: "header", cols: 80, rows: 24 },
      { at: Date.now() - 5000, elapsedMs: 90_000 },
    );
    await new Output(recording).write("first needle\r\n");
  }
  await using recordings = await Recordings.open(options);
  const recording = await recordings.resume(A);
  const entry = await recording.append({ type: "clear" });
  expect(entry.sequence).toBe(3);
  expect(entry.elapsedMs).toBeGreaterThanOrEqual(90_000);
  await recordings.whenIndexed();
  expect((await recordings.search({ text: "first needle" })).hits).toHaveLength(1);
  expect(await verdictOf(recordings)).toMatchObject({ ok: true, entries: 3 });
});

test("a second host is refused while the first has the store", async () => {
  const options = { directory: directory.next() };
  await using first = await Recordings.open(options);
  await expect(Recordings.open(options)).rejects.toMatchObject({ code: "unavailable" });
  await first.create(terminalRow("a"));
});

test("a row that could not be read back is refused before it is kept", async () => {
  await using recordings = await Recordings.open();
  const bell = terminalRow("a", { name: "a\u0007b" });
  await expect(recordings.create(bell)).rejects.toMatchObject({
    code: "invalid_argument",
    field: "name",
  });
  const long = terminalRow("x".repeat(128));
  await expect(recordings.create(long)).rejects.toMatchObject({ field: "id" });
  const recording = await recordings.create(terminalRow("a"));
  await expect(
    recording.appendAt({ type: "clear" }, { at: 1.5, elapsedMs: 0 }),
  ).rejects.toMatchObject({
    field: "at",
  });
});
