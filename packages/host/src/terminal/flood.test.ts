import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Flood } from "./flood.ts";

const CHUNK_BYTES = 64 * 1024;

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

function watch(takes: () => boolean = () => true) {
  const asked: boolean[] = [];
  const giveWay = (isGivingWay: boolean): boolean => {
    asked.push(isGivingWay);
    return takes();
  };
  const flood = new Flood({ giveWay }, () => Date.now());
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
  expect(asked).toEqual([true]);
  vi.advanceTimersByTime(800);
  expect(asked).toEqual([true]);
  vi.advanceTimersByTime(200);
  expect(asked).toEqual([true, false]);
  write(16, 10);
  expect(asked).toEqual([true, false, true]);
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
  write(24, 0);
  expect(asked).toEqual([true, true]);
  isTaken = true;
  write(8, 0);
  isTaken = false;
  vi.advanceTimersByTime(1500);
  expect(asked).toEqual([true, true, true, false]);
  isTaken = true;
  vi.advanceTimersByTime(1000);
  expect(asked).toEqual([true, true, true, false, false]);
});

test("a terminal that is over is left alone", () => {
  const { flood, asked, write } = watch();
  write(16, 0);
  flood[Symbol.dispose]();
  vi.advanceTimersByTime(5000);
  expect(asked).toEqual([true]);
});

test("where sessions are not weighed nothing happens", () => {
  const flood = new Flood({}, () => Date.now());
  for (let count = 0; count < 100; count++) flood.note(CHUNK_BYTES);
  expect(vi.getTimerCount()).toBe(0);
});
