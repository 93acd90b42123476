import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, describe, expect, test } from "vitest";
import { MAX_SNAPSHOT_BYTES } from "../store/store.ts";
import { terminalId, terminalRow } from "../testing/terminal-row.ts";
import type { SavedSnapshot } from "./recording-reader.ts";
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

const snapshotAt = (sequence: number, text = `screen ${sequence}`): SavedSnapshot => ({
  sequence,
  size: { cols: 80, rows: 24 },
  bytes: bytes(text),
});

/** Recordings with one terminal whose entries are many. */
async function filled(recordings: Recordings, count = 10): Promise<Output> {
  const output = new Output(await recordings.create(terminalRow("a")));
  await Promise.all(Array.from({ length: count }, (_, n) => output.write(`${n}`.padEnd(100))));
  return output;
}

describe.each(kindsOf(directory))("snapshots of recordings %s", (_name, options) => {
  const opened = () => Recordings.open(options());

  test("are found at or before a sequence, and stay the sender's", async () => {
    await using recordings = await opened();
    await filled(recordings);
    const page = new Uint8Array([1, 2, 3, 4]);
    const sent = { sequence: 4, size: { cols: 132, rows: 43 }, bytes: page.subarray(1, 3) };
    await Promise.all([
      recordings.saveSnapshot(A, sent),
      recordings.saveSnapshot(A, { ...sent, sequence: 5 }),
      recordings.saveSnapshot(A, snapshotAt(8)),
    ]);
    expect(page).toEqual(new Uint8Array([1, 2, 3, 4]));
    expect(await recordings.findSnapshot(A, 3)).toBeUndefined();
    expect(await recordings.findSnapshot(A, 4)).toEqual({ ...sent, bytes: page.slice(1, 3) });
    expect(await recordings.findSnapshot(A, 7)).toMatchObject({ sequence: 5 });
    expect(await recordings.findSnapshot(A, 7)).toMatchObject({ sequence: 5 });
    expect(await recordings.findSnapshot(A, 10)).toEqual(snapshotAt(8));
    expect(await recordings.findSnapshot(terminalId("nobody"), 10)).toBeUndefined();
  });

  test("are refused when they make no sense", async () => {
    await using recordings = await opened();
    await filled(recordings, 2);
    const tooLarge = { ...snapshotAt(1), bytes: new Uint8Array(MAX_SNAPSHOT_BYTES + 1) };
    await expect(recordings.saveSnapshot(A, tooLarge)).rejects.toMatchObject({
      code: "payload_too_large",
      field: "bytes",
    });
    for (const sequence of [0, 1.5, 3]) {
      await expect(recordings.saveSnapshot(A, snapshotAt(sequence))).rejects.toMatchObject({
        code: "invalid_argument",
        field: "sequence",
      });
    }
    const noSize = { ...snapshotAt(1), size: { cols: 0, rows: 24 } };
    await expect(recordings.saveSnapshot(A, noSize)).rejects.toMatchObject({
      code: "invalid_argument",
    });
    await expect(
      recordings.saveSnapshot(terminalId("nobody"), snapshotAt(1)),
    ).rejects.toMatchObject({ code: "terminal_not_found" });
    expect(recordings.state).toEqual({ state: "ok" });
    expect(await recordings.findSnapshot(A, 2)).toBeUndefined();
  });

  test("are no part of what is proven, exported or found", async () => {
    await using recordings = await opened();
    await filled(recordings, 2);
    const before = await exported(recordings, "jsonLines");
    await recordings.saveSnapshot(A, snapshotAt(2, "needle"));
    await recordings.whenIndexed();
    expect(await verdictOf(recordings)).toMatchObject({ ok: true, entries: 2 });
    expect(await exported(recordings, "jsonLines")).toBe(before);
    expect((await recordings.search({ text: "needle" })).hits).toEqual([]);
  });

  test("go with the entries that retention removes, but for the newest before those that are left", async () => {
    await using recordings = await opened();
    await filled(recordings);
    for (const sequence of [2, 4, 8]) await recordings.saveSnapshot(A, snapshotAt(sequence));
    await recordings.applyRetention({ maxTerminalBytes: 500 });
    expect(await recordings.readExtent(A)).toEqual({ firstSequence: 6, lastSequence: 10 });
    expect(await recordings.findSnapshot(A, 3)).toBeUndefined();
    expect(await recordings.findSnapshot(A, 6)).toEqual(snapshotAt(4));
    expect(await recordings.findSnapshot(A, 10)).toEqual(snapshotAt(8));
  });

  test("go with their terminal", async () => {
    await using recordings = await opened();
    await filled(recordings);
    await recordings.saveSnapshot(A, snapshotAt(5));
    await recordings.delete(A);
    expect(await recordings.findSnapshot(A, 10)).toBeUndefined();
    await filled(recordings);
    expect(await recordings.findSnapshot(A, 10)).toBeUndefined();
  });
});

test("snapshots are there after the host was away", async () => {
  const options = { directory: directory.next() };
  {
    await using recordings = await Recordings.open(options);
    await filled(recordings);
    await recordings.saveSnapshot(A, snapshotAt(5));
  }
  await using recordings = await Recordings.open(options);
  expect(await recordings.findSnapshot(A, 10)).toEqual(snapshotAt(5));
});

test("a snapshot that was damaged counts as none", async () => {
  const path = directory.next();
  {
    await using recordings = await Recordings.open({ directory: path });
    await filled(recordings);
    await recordings.saveSnapshot(A, snapshotAt(5));
  }
  const database = new DatabaseSync(join(path, "recordings.db"));
  database.exec("UPDATE screen_snapshot SET cols = -1");
  database.close();
  await using recordings = await Recordings.open({ directory: path });
  expect(await recordings.findSnapshot(A, 10)).toBeUndefined();
  expect(await verdictOf(recordings)).toMatchObject({ ok: true });
});
