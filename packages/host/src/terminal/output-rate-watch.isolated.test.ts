import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { OutputRateWatch, HostOutputRate } from "./output-rate-watch.ts";

const CHUNK_BYTES = 64 * 1024;

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

function watch(takes: () => boolean = () => true, floods = new HostOutputRate()) {
  const asked: number[] = [];
  const giveWay = (among: number): boolean => {
    asked.push(among);
    return takes();
  };
  const flood = new OutputRateWatch({ lowerPriority: giveWay }, floods, () => Date.now());
  /** Writes a chunk every so many milliseconds. */
  const write = (chunks: number, everyMs: number): void => {
    for (let count = 0; count < chunks; count++) {
      flood.note(CHUNK_BYTES);
      vi.advanceTimersByTime(everyMs);
    }
  };
  return { flood, asked, write };
}

test("a program that floods gives way until it is quiet for a second", () => {
  const { asked, write } = watch();
  write(300, 10);
  expect(asked).toEqual([1]);
  vi.advanceTimersByTime(800);
  expect(asked).toEqual([1]);
  vi.advanceTimersByTime(200);
  expect(asked).toEqual([1, 0]);
  write(16, 10);
  expect(asked).toEqual([1, 0, 1]);
});

test("a page of output is no flood, nor is much of it over a long time", () => {
  const { asked, write } = watch();
  write(15, 0);
  vi.advanceTimersByTime(10_000);
  write(100, 130);
  expect(asked).toEqual([]);
});

test("what the system does not take is tried again", () => {
  let isTaken = false;
  const { asked, write } = watch(() => isTaken);
  write(17, 0);
  expect(asked).toEqual([1, 1]);
  isTaken = true;
  write(8, 0);
  isTaken = false;
  vi.advanceTimersByTime(1500);
  expect(asked).toEqual([1, 1, 1, 0]);
  isTaken = true;
  vi.advanceTimersByTime(1000);
  expect(asked).toEqual([1, 1, 1, 0, 0]);
});

test("a terminal that is over is left alone", () => {
  const { flood, asked, write } = watch();
  write(16, 0);
  flood[Symbol.dispose]();
  vi.advanceTimersByTime(5000);
  expect(asked).toEqual([1]);
});

test("where sessions are not weighed nothing happens", () => {
  const flood = new OutputRateWatch({}, new HostOutputRate(), () => Date.now());
  for (let count = 0; count < 100; count++) flood.note(CHUNK_BYTES);
  expect(vi.getTimerCount()).toBe(0);
});

test("many that flood give way as one, although none of them writes much", () => {
  const floods = new HostOutputRate();
  const all = Array.from({ length: 20 }, () => watch(() => true, floods));
  for (let round = 0; round < 30; round++) {
    for (const { flood } of all) flood.note(CHUNK_BYTES / 4);
    vi.advanceTimersByTime(100);
  }
  for (const { asked } of all) expect(asked.at(-1)).toBe(20);
  const [gone, ...others] = all;
  gone?.flood[Symbol.dispose]();
  vi.advanceTimersByTime(3000);
  for (const { asked } of others) expect(asked.at(-1)).toBe(0);
  expect([gone?.asked.at(-1), floods.count]).toEqual([20, 0]);
});

test("beside a flood, a program that writes little is left alone", () => {
  const floods = new HostOutputRate();
  const loud = watch(() => true, floods);
  const quiet = watch(() => true, floods);
  for (let round = 0; round < 50; round++) {
    loud.write(2, 50);
    quiet.flood.note(CHUNK_BYTES / 16);
  }
  expect(loud.asked).toEqual([1]);
  expect(quiet.asked).toEqual([]);
});
