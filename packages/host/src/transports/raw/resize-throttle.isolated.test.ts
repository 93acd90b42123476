import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { ResizeThrottle } from "./resize-throttle.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const size = (cols: number) => ({ cols, rows: 10 });

test("the first size passes at once, of many only the last, and that one always", () => {
  const passed: number[] = [];
  using sizes = new ResizeThrottle(({ cols }) => passed.push(cols));
  for (let cols = 1; cols <= 50; cols++) sizes.request(size(cols));
  expect(passed).toEqual([1]);
  vi.advanceTimersByTime(100);
  expect(passed).toEqual([1, 50]);
  sizes.request(size(60));
  expect(passed).toEqual([1, 50]);
  vi.advanceTimersByTime(100);
  expect(passed).toEqual([1, 50, 60]);
});

test("a size that is asked for again passes again, because somebody else may have changed it", () => {
  const passed: number[] = [];
  using sizes = new ResizeThrottle(({ cols }) => passed.push(cols));
  sizes.request(size(80));
  vi.advanceTimersByTime(200);
  sizes.request(size(80));
  expect(passed).toEqual([80, 80]);
});

test("nothing passes once it is over", () => {
  const passed: number[] = [];
  const sizes = new ResizeThrottle(({ cols }) => passed.push(cols));
  sizes.request(size(80));
  sizes.request(size(90));
  sizes[Symbol.dispose]();
  vi.advanceTimersByTime(200);
  expect(passed).toEqual([80]);
});
