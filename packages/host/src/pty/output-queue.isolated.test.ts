import fc from "fast-check";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import {
  CHUNK_BYTES,
  MAX_QUEUED_OUTPUT_BYTES,
  MERGE_BYTES,
  MERGE_MS,
  OutputQueue,
} from "./output-queue.ts";

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

const bytes = (length: number) => new Uint8Array(length).fill(1);

test("the first bytes are handed over at once", async () => {
  const queue = new OutputQueue(() => {});
  const first = queue.read();
  queue.push(bytes(3));
  expect(await first).toEqual({ offset: 0, bytes: bytes(3) });
});

test("bytes that follow at once are merged for a few milliseconds", async () => {
  const queue = new OutputQueue(() => {});
  queue.push(bytes(1));
  await queue.read();
  const second = queue.read();
  queue.push(bytes(2));
  queue.push(bytes(3));
  vi.advanceTimersByTime(MERGE_MS);
  expect(await second).toEqual({ offset: 1, bytes: bytes(5) });
});

test("the answer to an input does not wait to be merged", async () => {
  const queue = new OutputQueue(() => {});
  queue.push(bytes(1));
  await queue.read();
  queue.hurry();
  const answer = queue.read();
  queue.push(bytes(2));
  expect(await answer).toEqual({ offset: 1, bytes: bytes(2) });
  const late = queue.read();
  queue.push(bytes(3));
  queue.hurry();
  expect(await late).toEqual({ offset: 3, bytes: bytes(3) });
});

test("a large chunk does not wait to grow", async () => {
  const queue = new OutputQueue(() => {});
  queue.push(bytes(1));
  await queue.read();
  const large = queue.read();
  queue.push(bytes(MERGE_BYTES));
  expect(await large).toEqual({ offset: 1, bytes: bytes(MERGE_BYTES) });
});

test("room is as large as asked for, and what was before it stays before it", async () => {
  const queue = new OutputQueue(() => {});
  queue.push(bytes(CHUNK_BYTES - 10));
  const room = queue.reserve(100);
  expect(room.byteLength).toBe(CHUNK_BYTES);
  room.fill(7, 0, 100);
  queue.commit(100);
  queue.end();
  expect((await queue.read())?.bytes).toEqual(bytes(CHUNK_BYTES - 10));
  expect(await queue.read()).toEqual({ offset: CHUNK_BYTES - 10, bytes: bytes(100).fill(7) });
});

test("a full chunk does not wait", async () => {
  const queue = new OutputQueue(() => {});
  queue.push(bytes(1));
  await queue.read();
  queue.push(bytes(CHUNK_BYTES + 10));
  expect((await queue.read())?.bytes.byteLength).toBe(CHUNK_BYTES);
});

test("the end does not wait and comes after the last byte", async () => {
  const queue = new OutputQueue(() => {});
  queue.push(bytes(1));
  await queue.read();
  queue.push(bytes(2));
  queue.end();
  expect((await queue.read())?.bytes.byteLength).toBe(2);
  expect(await queue.read()).toBeUndefined();
  expect(await queue.read()).toBeUndefined();
});

test("room is announced once, when a full queue is read", async () => {
  const onRoom = vi.fn<() => void>();
  const queue = new OutputQueue(onRoom);
  queue.push(bytes(MAX_QUEUED_OUTPUT_BYTES));
  expect(queue.isFull).toBe(true);
  await queue.read();
  await queue.read();
  expect(queue.isFull).toBe(false);
  expect(onRoom).toHaveBeenCalledTimes(1);
});

test("a chunk that is given back is taken away, filled again, and never while it is queued", async () => {
  const queue = new OutputQueue(() => {});
  queue.push(bytes(2 * CHUNK_BYTES));
  const first = await queue.read();
  const second = await queue.read(first?.bytes);
  expect(first?.bytes.byteLength).toBe(0);
  queue.push(bytes(CHUNK_BYTES).fill(2));
  const third = await queue.read(first?.bytes);
  expect(second?.bytes).toEqual(bytes(CHUNK_BYTES));
  expect(third).toEqual({ offset: 2 * CHUNK_BYTES, bytes: bytes(CHUNK_BYTES).fill(2) });
  queue.push(bytes(CHUNK_BYTES).fill(3));
  expect((await queue.read(first?.bytes))?.bytes).toEqual(bytes(CHUNK_BYTES).fill(3));
  expect(third?.bytes).toEqual(bytes(CHUNK_BYTES).fill(2));
});

test("a part of a buffer is not filled again", async () => {
  const queue = new OutputQueue(() => {});
  const foreign = new Uint8Array(CHUNK_BYTES);
  queue.push(bytes(1));
  await queue.read(foreign.subarray(10));
  queue.push(bytes(2 * CHUNK_BYTES));
  expect((await queue.read())?.bytes).toEqual(bytes(CHUNK_BYTES));
  expect(foreign).toEqual(new Uint8Array(CHUNK_BYTES));
});

test("two readers at once are a mistake", () => {
  const queue = new OutputQueue(() => {});
  void queue.read();
  expect(() => queue.read()).toThrow("one reader");
});

test("any sequence of pushes is read back unchanged, from any offset on", async () => {
  vi.useRealTimers();
  const pieces = fc.array(fc.uint8Array({ minLength: 1, maxLength: 200 }), { maxLength: 40 });
  const property = fc.asyncProperty(pieces, fc.nat(1e12), async (pushed, offset) => {
    const queue = new OutputQueue(() => {}, offset);
    const expected = Buffer.concat(pushed);
    for (const piece of pushed) queue.push(piece);
    queue.end();
    const read: Uint8Array[] = [];
    let at = offset;
    for (let chunk = await queue.read(); chunk; chunk = await queue.read()) {
      expect(chunk.offset).toBe(at);
      at += chunk.bytes.byteLength;
      read.push(chunk.bytes);
    }
    expect(Buffer.concat(read).equals(expected)).toBe(true);
  });
  await fc.assert(property);
});
