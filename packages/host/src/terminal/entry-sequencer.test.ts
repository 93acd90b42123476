import { expect, test } from "vitest";
import type { RecordedEntry } from "../recording/recorded-entry.ts";
import { terminalId } from "../testing/terminal-row.ts";
import { EntrySequencer } from "./appender.ts";

/** An entry of any kind. */
const entry = (sequence: number, text = "live"): RecordedEntry => ({
  id: `terminal_recording_entry:a-${sequence}` as RecordedEntry["id"],
  terminalId: terminalId("a"),
  sequence,
  occurredAt: "2026-01-31T09:30:00.000Z",
  elapsedMs: 0,
  type: "title",
  title: text,
});

/** An order over a recording of these sequences, and all that was told. */
class Rig {
  readonly told: string[] = [];
  readonly reads: number[] = [];
  readonly order: EntrySequencer;

  constructor(recorded: () => readonly number[]) {
    this.order = new EntrySequencer({
      readAfter: (after) => {
        this.reads.push(after);
        const rest = recorded().filter((sequence) => sequence > after);
        return Promise.resolve(rest.slice(0, 2).map((sequence) => entry(sequence, "read")));
      },
      handleRecorded: ({ entry: { sequence, ...rest } }) =>
        this.told.push(`${sequence} ${rest.type === "title" ? rest.title : rest.type}`),
    });
  }
}

test("an entry waits for those that appends made before it may still bring", async () => {
  const rig = new Rig(() => [1, 2]);
  const [first, second] = [rig.order.reserve(), rig.order.reserve()];
  rig.order.insert({ entry: entry(2) }, second);
  rig.order.settle(second);
  const told = rig.order.delivered(2);
  expect([rig.told, rig.reads]).toEqual([[], []]);
  rig.order.insert({ entry: entry(1) }, first);
  rig.order.settle(first);
  await told;
  expect([rig.told, rig.reads]).toEqual([["1 live", "2 live"], []]);
});

test("what no append can bring any more is read, page by page, and told in its place", async () => {
  const rig = new Rig(() => [1, 2, 3, 4, 5, 6]);
  const [failed, done] = [rig.order.reserve(), rig.order.reserve()];
  rig.order.insert({ entry: entry(6) }, done);
  rig.order.settle(done);
  expect(rig.reads).toEqual([]);
  rig.order.settle(failed);
  await rig.order.delivered(6);
  expect(rig.told).toEqual(["1 read", "2 read", "3 read", "4 read", "5 read", "6 live"]);
});

test("an entry that nobody appended waits for the appends that were made before it came", async () => {
  const rig = new Rig(() => [1, 2, 3]);
  const older = rig.order.reserve();
  rig.order.insert({ entry: entry(3) });
  const newer = rig.order.reserve();
  expect(rig.reads).toEqual([]);
  rig.order.settle(older);
  await rig.order.delivered(3);
  expect(rig.told).toEqual(["1 read", "2 read", "3 live"]);
  rig.order.settle(newer);
});

test("what cannot be read is left out, and what follows is told", async () => {
  const rig = new Rig(() => [3, 4, 6]);
  rig.order.insert({ entry: entry(6) });
  await rig.order.delivered(6);
  expect(rig.told).toEqual(["3 read", "4 read", "6 live"]);
  expect(rig.order.lastSequence).toBe(6);
});

test("nobody waits for a recording that cannot be read", async () => {
  const told: number[] = [];
  const order = new EntrySequencer({
    readAfter: () => Promise.reject(new Error("gone")),
    handleRecorded: (recorded) => told.push(recorded.entry.sequence),
  });
  for (const sequence of [3, 5]) order.insert({ entry: entry(sequence) });
  await order.delivered(5);
  expect(told).toEqual([3, 5]);
});

test("an entry that was read meanwhile is not told of again when it comes by itself", async () => {
  const rig = new Rig(() => [1, 2, 3]);
  rig.order.insert({ entry: entry(3) });
  await rig.order.delivered(3);
  rig.order.insert({ entry: entry(2) });
  rig.order.insert({ entry: entry(4) });
  expect(rig.told).toEqual(["1 read", "2 read", "3 live", "4 live"]);
});

test("catching up reads behind the newest entry, and leaves out nothing that may still come", async () => {
  const recorded = [1, 2];
  const rig = new Rig(() => recorded);
  rig.order.insert({ entry: entry(1) });
  await rig.order.catchUp();
  expect(rig.told).toEqual(["1 live", "2 read"]);
  const [older, newer] = [rig.order.reserve(), rig.order.reserve()];
  rig.order.insert({ entry: entry(4) }, newer);
  rig.order.settle(newer);
  await rig.order.catchUp();
  expect(rig.told).toHaveLength(2);
  rig.order.insert({ entry: entry(3) }, older);
  rig.order.settle(older);
  expect(rig.told.slice(2)).toEqual(["3 live", "4 live"]);
});
