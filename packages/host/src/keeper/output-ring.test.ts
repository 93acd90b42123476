import fc from "fast-check";
import { expect, test } from "vitest";
import { CHUNK_BYTES, LARGE_CHUNK_BYTES } from "../pty/output-queue.ts";
import { OutputRing, RING_BYTES } from "./output-ring.ts";

const chunk = (bytes: number, value = 1) => ({
  offset: 0,
  bytes: new Uint8Array(bytes).fill(value),
});

/** Everything from an offset on. */
function readFrom(ring: OutputRing, offset: number): Buffer {
  const parts: Uint8Array[] = [];
  for (let piece = ring.pieceAt(offset); piece; piece = ring.pieceAt(offset)) {
    parts.push(piece.bytes);
    offset += piece.bytes.byteLength;
  }
  return Buffer.concat(parts);
}

test("whatever was added and released, what is left is what was written", () => {
  const step = fc.oneof(
    fc.record({ add: fc.integer({ min: 1, max: 2 * LARGE_CHUNK_BYTES }) }),
    fc.record({ releaseShare: fc.double({ min: 0, max: 1, noNaN: true }) }),
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
      const ring = new OutputRing();
      let written = Buffer.alloc(0);
      for (const [index, one] of steps.entries()) {
        if ("add" in one) {
          const added = chunk(one.add, index);
          written = Buffer.concat([written, added.bytes]);
          ring.add(added);
        } else {
          const { firstOffset, endOffset } = ring;
          ring.release(Math.floor(firstOffset + (endOffset - firstOffset) * one.releaseShare));
        }
        const { firstOffset } = ring;
        expect(ring.endOffset).toBe(written.length);
        expect(readFrom(ring, firstOffset).equals(written.subarray(firstOffset))).toBe(true);
      }
    }),
    { numRuns: 60 },
  );
});

test("it is full at its bound and not before, and has room again after a release", () => {
  const ring = new OutputRing();
  for (let bytes = 0; bytes < RING_BYTES; bytes += CHUNK_BYTES) {
    expect(ring.isFull).toBe(false);
    ring.add(chunk(CHUNK_BYTES));
  }
  expect(ring.isFull).toBe(true);
  expect(ring.release(CHUNK_BYTES - 1)).toEqual([]);
  expect(ring.isFull).toBe(true);
  expect(ring.release(CHUNK_BYTES).map((spare) => spare.buffer.byteLength)).toEqual([CHUNK_BYTES]);
  expect(ring.isFull).toBe(false);
});

test("a program that writes letters costs as many bytes as it wrote", () => {
  const ring = new OutputRing();
  for (let count = 0; count < 2 * LARGE_CHUNK_BYTES; count++) ring.add(chunk(1));
  expect(ring.pieceAt(0)?.bytes.byteLength).toBe(LARGE_CHUNK_BYTES);
  expect(ring.pieceAt(LARGE_CHUNK_BYTES)?.bytes.byteLength).toBe(LARGE_CHUNK_BYTES);
});

test("half-filled buffers do not make it full at half of its bound", () => {
  const ring = new OutputRing();
  const half = CHUNK_BYTES / 2;
  while (!ring.isFull)
    ring.add({ offset: 0, bytes: new Uint8Array(CHUNK_BYTES).subarray(0, half) });
  expect(ring.endOffset).toBeGreaterThan(RING_BYTES - 1024 * 1024);
});

test("standard output and standard error are not joined", () => {
  const ring = new OutputRing();
  ring.add(chunk(3));
  ring.add({ ...chunk(2), stream: "stderr" });
  ring.add(chunk(4));
  expect(ring.pieceAt(0)).toEqual({ bytes: chunk(3).bytes, stream: undefined });
  expect(ring.pieceAt(4)).toEqual({ bytes: chunk(1).bytes, stream: "stderr" });
  expect(ring.pieceAt(5)?.bytes.byteLength).toBe(4);
});

test("nothing follows the end, and a release beyond it does not go beyond it", () => {
  const ring = new OutputRing();
  ring.add(chunk(10));
  ring.release(1000);
  expect([ring.firstOffset, ring.endOffset, ring.pieceAt(10)]).toEqual([10, 10, undefined]);
});

test("what two streams write in turn, a letter at a time, costs what it takes", () => {
  const ring = new OutputRing();
  let letters = 0;
  for (; !ring.isFull && letters < RING_BYTES; letters++) {
    ring.add({ ...chunk(1), ...(letters % 2 ? { stream: "stderr" as const } : {}) });
  }
  expect(letters).toBeLessThan(RING_BYTES / 256);
  ring.release(ring.endOffset);
  expect(ring.isFull).toBe(false);
  expect(ring.pieceAt(0)).toBeUndefined();
});
