import { availableParallelism } from "node:os";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { ScheduledRead, ReadScheduler } from "./read-scheduler.ts";

const KB = 1024;
const AT_ONCE = Math.max(2, availableParallelism());

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** So many terminals with the same turns, and who was resumed. */
function terminals(count: number) {
  const turns = new ReadScheduler();
  const resumed: number[] = [];
  const all = Array.from(
    { length: count },
    (_, index) => new ScheduledRead(() => resumed.push(index), turns),
  );
  /** Reads so much in large pieces for as long as it may. */
  const flood = (turn: ScheduledRead, kilobytes: number): boolean => {
    for (let read = 0; read < kilobytes; read += 4) if (!turn.note(4 * KB)) return false;
    return true;
  };
  return { turns, all, resumed, flood };
}

test("a terminal that floods alone never waits", () => {
  const { turns, all, flood } = terminals(1);
  expect(flood(all[0]!, 1024)).toBe(true);
  expect(turns.maxExtraReads).toBe(15);
});

test("only as many as there are processors are read at once, each for a while", () => {
  const { turns, all, resumed, flood } = terminals(AT_ONCE + 1);
  const last = all.at(-1)!;
  for (const turn of all.slice(0, AT_ONCE)) expect(flood(turn, 80)).toBe(true);
  expect(turns.maxExtraReads).toBe(Math.floor(16 / AT_ONCE) - 1);
  expect(flood(last, 80)).toBe(false);
  expect(last.isWaiting).toBe(true);
  resumed.length = 0;
  // The one that has read enough waits behind the one that waited.
  expect(flood(all[0]!, 64)).toBe(false);
  expect(resumed).toEqual([AT_ONCE]);
  expect([last.isWaiting, all[0]!.isWaiting]).toEqual([false, true]);
  all[1]!.leave();
  expect(resumed).toEqual([AT_ONCE, 0]);
});

test("some pages wait for nobody, and a few more of them not behind floods", () => {
  const { all, resumed, flood } = terminals(AT_ONCE + 2);
  const [page, last] = all.slice(-2) as [ScheduledRead, ScheduledRead];
  for (const turn of all.slice(0, AT_ONCE)) flood(turn, 80);
  expect(page.note(16 * KB)).toBe(true);
  // Has flooded for a while.
  last.note(80 * KB);
  expect(page.note(4 * KB)).toBe(false);
  resumed.length = 0;
  all[0]!.leave();
  expect(resumed).toEqual([AT_ONCE]);
  vi.advanceTimersByTime(1001);
  expect(page.note(16 * KB)).toBe(true);
});

test("a flood that has stopped does not keep the others waiting", () => {
  const { all, resumed, flood } = terminals(AT_ONCE + 1);
  for (const turn of all) flood(turn, 80);
  resumed.length = 0;
  vi.advanceTimersByTime(100);
  expect(resumed).toEqual([AT_ONCE]);
});

test("floods wait a moment for who types, but not for ever", () => {
  const { all, resumed, flood } = terminals(2);
  const [flooding, typed] = all as [ScheduledRead, ScheduledRead];
  flood(flooding, 80);
  typed.holdOthers();
  expect(flooding.note(4 * KB)).toBe(false);
  expect(typed.note(1 * KB)).toBe(true);
  resumed.length = 0;
  vi.advanceTimersByTime(9);
  expect(resumed).toEqual([]);
  vi.advanceTimersByTime(2);
  expect(resumed).toEqual([0]);
  vi.advanceTimersByTime(1000);
  // A key every five milliseconds.
  for (let key = 0; key < 19; key++) {
    typed.holdOthers();
    expect(flood(flooding, 80)).toBe(false);
    vi.advanceTimersByTime(5);
  }
  resumed.length = 0;
  for (let key = 0; key < 2; key++) {
    typed.holdOthers();
    vi.advanceTimersByTime(5);
  }
  expect(resumed).toEqual([0]);
  typed.holdOthers();
  expect(flood(flooding, 80)).toBe(true);
});

test("a terminal that is gone is not waited for", () => {
  const { all, resumed, flood } = terminals(AT_ONCE + 2);
  for (const turn of all) flood(turn, 80);
  all[AT_ONCE]!.leave();
  resumed.length = 0;
  all[0]!.leave();
  expect(resumed).toEqual([AT_ONCE + 1]);
  for (const turn of all) turn.leave();
  vi.advanceTimersByTime(1000);
  expect(vi.getTimerCount()).toBe(0);
});
