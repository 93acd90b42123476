import { beforeEach, expect, test } from "vitest";
import { acquireBuffer, CHUNK_BYTES, copyBytes, releaseBuffer } from "./buffer-pool.ts";

// Other tests of this process may have left some.
beforeEach(() => {
  for (let spares = 0; spares < 16; spares++) acquireBuffer();
});

test("only whole buffers are filled again, and are taken away from who had them", () => {
  const whole = new Uint8Array(CHUNK_BYTES);
  whole[0] = 7;
  const begin = whole.subarray(0, 10);
  releaseBuffer(begin);
  expect(begin.byteLength).toBe(0);
  const small = new Uint8Array(10);
  const later = new Uint8Array(CHUNK_BYTES).subarray(1);
  for (const bytes of [small, later]) releaseBuffer(bytes);
  expect([small.byteLength, later.byteLength]).toEqual([10, CHUNK_BYTES - 1]);
  expect(acquireBuffer()[0]).toBe(7);
  expect(acquireBuffer()[0]).toBe(0);
});

test("no more buffers are kept than floods need, however many Ptys there are", () => {
  const given = Array.from({ length: 20 }, () => new Uint8Array(CHUNK_BYTES));
  for (const bytes of given) releaseBuffer(bytes);
  expect(given.filter(({ byteLength }) => byteLength === 0)).toHaveLength(16);
});

test("a large copy is made in a buffer that is free, a small one in no more than it needs", () => {
  const used = new Uint8Array(CHUNK_BYTES);
  const { buffer: memory } = used;
  releaseBuffer(used);
  expect(memory.detached).toBe(true);
  const large = copyBytes(new Uint8Array(CHUNK_BYTES - 1).fill(5));
  expect([large.byteLength, large.byteOffset, large.at(-1)]).toEqual([CHUNK_BYTES - 1, 0, 5]);
  expect(large.buffer.byteLength).toBe(CHUNK_BYTES);
  const small = copyBytes(new Uint8Array([1, 2, 3]));
  expect([...small]).toEqual([1, 2, 3]);
  expect(small.buffer.byteLength).toBe(3);
});
