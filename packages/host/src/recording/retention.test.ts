import { afterAll, describe, expect, test } from "vitest";
import { terminalId, terminalRow } from "../testing/terminal-row.ts";
import { Recordings } from "./recordings.ts";
import type { Removal } from "./retention.ts";
import { kindsOf, TestDirectory } from "./testing/recordings.ts";

const directory = new TestDirectory();
afterAll(() => directory[Symbol.dispose]());

const DAY_MS = 86_400_000;

interface Filling {
  /** Days after the beginning of all time. */
  readonly day: number;
  readonly sealed?: boolean;
  /** Of each entry. */
  readonly bytes?: number;
}

async function fill(recordings: Recordings, name: string, { day, sealed, bytes = 10 }: Filling) {
  const recording = await recordings.create(terminalRow(name));
  for (let n = 0; n < 10; n += 1) {
    const data = new Uint8Array(bytes).fill(65);
    const fact = { type: "output", offset: n * bytes, data } as const;
    await recording.appendAt(fact, { at: day * DAY_MS + n, elapsedMs: n });
  }
  if (sealed) await recording.seal();
}

const named = (removals: readonly Removal[]) =>
  removals.map(({ terminalId: id, reason }) => `${id.slice("terminal:".length)} ${reason}`);

describe.each(kindsOf(directory))("retention of recordings %s", (_name, options) => {
  test("keeps so many of those that ended, whatever runs", async () => {
    await using recordings = await Recordings.open(options());
    await fill(recordings, "third", { day: 3, sealed: true });
    await fill(recordings, "first", { day: 1, sealed: true });
    await fill(recordings, "runs", { day: 0 });
    await fill(recordings, "second", { day: 2, sealed: true });
    const removed = await recordings.applyRetention({ keepLast: 1 });
    expect(named(removed)).toEqual(["second keepLast", "first keepLast"]);
    expect(removed).toMatchObject([
      { whole: true, entries: 10, bytes: 100 },
      { whole: true, entries: 10, bytes: 100 },
    ]);
    const left = await recordings.listTerminals({ limit: 9 });
    expect(left.map(({ id }) => id)).toEqual([terminalId("third"), terminalId("runs")]);
    expect(await recordings.applyRetention({ keepLast: 1 })).toEqual([]);
    expect(named(await recordings.applyRetention({ keepLast: 0 }))).toEqual(["third keepLast"]);
  });

  test.each([
    [{ maxAgeMs: DAY_MS }],
    [{ maxTerminalBytes: 250 }],
    [{ maxTotalBytes: 420 }],
    [{ keepLast: 1, maxTotalBytes: 333 }],
    [{ maxAgeMs: 2 * DAY_MS, keepLast: 2, maxTerminalBytes: 400, maxTotalBytes: 500 }],
  ])("removes by %o exactly what it said it would", async (policy) => {
    await using recordings = await Recordings.open(options());
    await fill(recordings, "oldest", { day: 1, sealed: true, bytes: 50 });
    await fill(recordings, "older", { day: 2, sealed: true, bytes: 30 });
    await fill(recordings, "newer", { day: 3, sealed: true, bytes: 20 });
    await fill(recordings, "runs", { day: 3, bytes: 60 });
    const now = 4 * DAY_MS;
    const plan = await recordings.planRetention(policy, now);
    expect(plan.length).toBeGreaterThan(0);
    const extentOf = ({ terminalId: id }: Removal) => recordings.readExtent(id);
    const before = await Promise.all(plan.map(extentOf));
    expect(before).toEqual(plan.map(() => ({ firstSequence: 1, lastSequence: 10 })));
    const done = await recordings.applyRetention(policy, now);
    const sums = (removals: readonly Removal[]) => ({
      ids: new Set(removals.map(({ terminalId: id }) => id)),
      entries: removals.reduce((sum, { entries }) => sum + entries, 0),
      bytes: removals.reduce((sum, { bytes }) => sum + bytes, 0),
    });
    expect(sums(done)).toEqual(sums(plan));
    expect(await recordings.planRetention(policy, now)).toEqual([]);
  });
});
