import { expect, test } from "vitest";
import type { TerminalId } from "@nacre/contracts";
import { terminalId, terminalRow } from "../testing/terminal-row.ts";
import { MemoryTrimmer } from "./memory-trimmer.ts";
import { Recordings } from "./recordings.ts";
import { A, bytes, Output, verdictOf } from "./testing/recordings.ts";

const B = terminalId("b");

/** A bound that writes down what it removes. */
function boundOf(maxBytes: number) {
  const trims: [TerminalId, number][] = [];
  const trim = (id: TerminalId, through: number) => Promise.resolve(trims.push([id, through]));
  return { trims, bound: new MemoryTrimmer({ maxBytes, trim }) };
}

test("nothing is removed of what fits", () => {
  const { bound, trims } = boundOf(1_000_000);
  for (let n = 1; n <= 9; n++) {
    bound.noteEntry(A, { sequence: n, byteCount: 100_000 });
    bound.noteEntry(B, { sequence: n, byteCount: 100_000 });
  }
  expect(trims).toEqual([]);
});

test("the oldest entries of a recording go when it grows beyond the bound, and no other's", () => {
  const { bound, trims } = boundOf(1_000_000);
  bound.noteEntry(B, { sequence: 1, byteCount: 900_000 });
  for (let n = 1; n <= 12; n++) bound.noteEntry(A, { sequence: n, byteCount: 100_000 });
  expect(trims).toEqual([
    [A, 1],
    [A, 2],
    [A, 3],
  ]);
});

test("entries without bytes take room, too", () => {
  const { bound, trims } = boundOf(1_000_000);
  for (let n = 1; n <= 10_000; n++) bound.noteEntry(A, { sequence: n, byteCount: 0 });
  const [, through = 0] = trims.at(-1) ?? [];
  expect(through).toBeGreaterThan(7_000);
  // A removal costs something, so it is worth it.
  expect(trims.length).toBeLessThan(200);
});

test("a terminal that was removed and made anew begins anew", () => {
  const { bound, trims } = boundOf(1000);
  bound.noteEntry(A, { sequence: 1, byteCount: 400 });
  bound.forget(A);
  bound.noteEntry(A, { sequence: 1, byteCount: 400 });
  expect(trims).toEqual([]);
});

test("recordings in memory keep their newest entries, proven and searchable", async () => {
  await using recordings = await Recordings.open({ memoryBytesPerTerminal: 64 * 1024 });
  const recording = await recordings.create(terminalRow("a"));
  await recording.append({ type: "header", cols: 100, rows: 30 });
  const output = new Output(recording);
  await output.write("oldest\r\n");
  for (let n = 0; n < 40; n++) await output.write(`${n}\r\n`.padEnd(4096, "x"));
  await output.write("\r\nnewest\r\n");
  // Comes behind what is removed because of the last entry.
  await recordings.create(terminalRow("b"));
  const { firstSequence, lastSequence } = await recordings.readExtent(A);
  expect(lastSequence).toBe(43);
  // Fourteen of 4 KiB fit with what an entry costs, and the last.
  expect(firstSequence).toBe(43 - 14);
  const entries = await recordings.readEntries({ terminalId: A, limit: 100, maxBytes: 1e6 });
  expect(entries).toHaveLength(lastSequence - firstSequence + 1);
  expect(entries.at(-1)).toMatchObject({ data: bytes("\r\nnewest\r\n") });
  expect(await verdictOf(recordings)).toMatchObject({ ok: true, firstSequence });
  await recordings.whenIndexed();
  expect((await recordings.search({ text: "newest" })).hits).toHaveLength(1);
  expect((await recordings.search({ text: "oldest" })).hits).toEqual([]);
});
