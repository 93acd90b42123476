import fc from "fast-check";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { InputQueue } from "./input-queue.ts";
import { MAX_QUEUED_INPUT_BYTES } from "./pty.ts";

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

/** A kernel that takes as many bytes as it has room for. */
class FakeKernel {
  readonly taken: number[] = [];
  room = 0;

  readonly offer = (bytes: Uint8Array): number => {
    const taken = Math.min(this.room, bytes.byteLength);
    this.room -= taken;
    this.taken.push(...bytes.subarray(0, taken));
    return taken > 0 ? taken : -1;
  };
}

test("input goes to the kernel at once where it has room", () => {
  const kernel = new FakeKernel();
  kernel.room = 10;
  const queue = new InputQueue(kernel.offer);
  queue.push(Uint8Array.of(1, 2, 3));
  expect(kernel.taken).toEqual([1, 2, 3]);
  expect(queue.queuedBytes).toBe(0);
});

test("what does not fit waits and is tried again, ever more rarely", () => {
  const kernel = new FakeKernel();
  const offer = vi.fn<(bytes: Uint8Array) => number>(kernel.offer);
  const queue = new InputQueue(offer);
  queue.push(Uint8Array.of(1, 2, 3));
  vi.advanceTimersByTime(10_000);
  expect(offer.mock.calls.length).toBeLessThan(220);
  kernel.room = 2;
  vi.advanceTimersByTime(50);
  expect(kernel.taken).toEqual([1, 2]);
  kernel.room = 2;
  queue.flush();
  expect(kernel.taken).toEqual([1, 2, 3]);
  expect(vi.getTimerCount()).toBe(0);
});

test("the limit counts what waits, and a refusal takes nothing", () => {
  const queue = new InputQueue(() => 0);
  queue.push(new Uint8Array(MAX_QUEUED_INPUT_BYTES - 1));
  expect(() => queue.push(Uint8Array.of(1, 2))).toThrow(
    expect.objectContaining({ code: "input_queue_full" }),
  );
  expect(queue.queuedBytes).toBe(MAX_QUEUED_INPUT_BYTES - 1);
  queue.push(Uint8Array.of(1));
  expect(queue.queuedBytes).toBe(MAX_QUEUED_INPUT_BYTES);
});

test("what was pushed may be overwritten by its owner at once", () => {
  const kernel = new FakeKernel();
  const queue = new InputQueue(kernel.offer);
  const bytes = Uint8Array.of(1, 2, 3);
  queue.push(bytes);
  bytes.fill(9);
  kernel.room = 3;
  queue.flush();
  expect(kernel.taken).toEqual([1, 2, 3]);
});

test("nothing is offered after clear", () => {
  const offer = vi.fn<(bytes: Uint8Array) => number>(() => 0);
  const queue = new InputQueue(offer);
  queue.push(Uint8Array.of(1));
  queue.clear();
  offer.mockClear();
  vi.advanceTimersByTime(1000);
  expect(offer).not.toHaveBeenCalled();
});

test("any pushes into any kernel arrive in order, each byte once", () => {
  const step = fc.oneof(
    fc.record({ push: fc.uint8Array({ maxLength: 40_000 }) }),
    fc.record({ room: fc.nat(30_000) }),
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
      const kernel = new FakeKernel();
      const queue = new InputQueue(kernel.offer);
      const pushed: number[] = [];
      for (const one of steps) {
        if ("push" in one) {
          pushed.push(...one.push);
          queue.push(one.push);
        } else {
          kernel.room += one.room;
          queue.flush();
        }
      }
      kernel.room = Infinity;
      queue.flush();
      expect(kernel.taken).toEqual(pushed);
      expect(queue.queuedBytes).toBe(0);
    }),
    { numRuns: 50 },
  );
});
