import type { Size } from "@nacre/contracts";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Resizer } from "./resizer.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const size = (cols: number): Size => ({ cols, rows: 24 });

function sizer(apply: (wanted: Size) => Promise<void> = () => Promise.resolve()) {
  const applied: number[] = [];
  const made = new Resizer(size(80), {
    apply: async (wanted) => {
      await apply(wanted);
      applied.push(wanted.cols);
    },
    record: () => Promise.resolve(),
  });
  return { made, applied };
}

test("the first size is applied at once", async () => {
  const { made, applied } = sizer();
  expect(await made.request(size(100))).toEqual(size(100));
  expect(applied).toEqual([100]);
});

test("of many sizes the first and the last are applied, and all askers learn the last", async () => {
  const { made, applied } = sizer();
  const answers = Array.from({ length: 50 }, (_, index) => made.request(size(101 + index)));
  await vi.advanceTimersByTimeAsync(1000);
  expect(applied).toEqual([101, 150]);
  expect(await answers[0]).toEqual(size(101));
  expect(await Promise.all(answers.slice(1))).toEqual(Array.from({ length: 49 }, () => size(150)));
});

test("a size that is there already is not applied again", async () => {
  const { made, applied } = sizer();
  await made.request(size(80));
  expect(applied).toEqual([]);
});

test("a size that is refused changes nothing, and the next one counts", async () => {
  let isBroken = true;
  const { made, applied } = sizer(() =>
    isBroken ? Promise.reject(new Error("no such size")) : Promise.resolve(),
  );
  await expect(made.request(size(90))).rejects.toThrow("no such size");
  expect(made.size).toEqual(size(80));
  isBroken = false;
  const answer = made.request(size(91));
  await vi.advanceTimersByTimeAsync(100);
  expect(await answer).toEqual(size(91));
  expect(applied).toEqual([91]);
});

test("disposing answers who waits with the real size", async () => {
  const { made } = sizer();
  await made.request(size(100));
  const answer = made.request(size(120));
  made[Symbol.dispose]();
  expect(await answer).toEqual(size(100));
  expect(await made.request(size(130))).toEqual(size(100));
});
