import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Flood } from "./flood.ts";

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
  const waitFor = (ms: number): void => {
    for (let at = 0; at < ms; at += 10) {
      flood.note();
      vi.advanceTimersByTime(10);
    }
  };
  return { flood, asked, waitFor };
}

test("a program that waits for long gives way until it is quiet", () => {
  const { asked, waitFor } = watch();
  waitFor(3000);
  expect(asked).toEqual([true]);
  vi.advanceTimersByTime(980);
  expect(asked).toEqual([true]);
  vi.advanceTimersByTime(20);
  expect(asked).toEqual([true, false]);
  waitFor(200);
  expect(asked).toEqual([true, false, true]);
});

test("a page of output is no flood, however often it comes", () => {
  const { asked, waitFor } = watch();
  for (let page = 0; page < 20; page++) {
    waitFor(90);
    vi.advanceTimersByTime(200);
  }
  expect(asked).toEqual([]);
});

test("what the system does not take is tried again", () => {
  let isTaken = false;
  const { asked, waitFor } = watch(() => isTaken);
  waitFor(130);
  expect(asked).toEqual([true, true, true]);
  isTaken = true;
  waitFor(10);
  isTaken = false;
  vi.advanceTimersByTime(1500);
  expect(asked).toEqual([true, true, true, true, false]);
  isTaken = true;
  vi.advanceTimersByTime(1000);
  expect(asked).toEqual([true, true, true, true, false, false]);
});

test("a terminal that is over is left alone", () => {
  const { flood, asked, waitFor } = watch();
  waitFor(200);
  flood[Symbol.dispose]();
  vi.advanceTimersByTime(5000);
  expect(asked).toEqual([true]);
});

test("where sessions are not weighed nothing happens", () => {
  const flood = new Flood({}, () => Date.now());
  flood.note();
  vi.advanceTimersByTime(50);
  flood.note();
  vi.advanceTimersByTime(60);
  flood.note();
  expect(vi.getTimerCount()).toBe(0);
});
