import fc from "fast-check";
import { expect, test } from "vitest";
import {
  FrameReader,
  HEADER_BYTES,
  type FrameHeader,
  MAX_PAYLOAD_BYTES,
  parseJsonPayload,
  encodeHeader,
} from "./frames.ts";

interface Found {
  readonly head: FrameHeader;
  readonly payload: readonly number[];
}

/** Reads what comes in these pieces; `isKept` gives every payload a place of its own. */
function read(pieces: readonly Uint8Array[], isKept = false): readonly Found[] {
  const found: Found[] = [];
  const reader = new FrameReader({
    roomFor: (_head, bytes) => (isKept ? new Uint8Array(bytes) : undefined),
    handleFrame: (head, payload) => void found.push({ head, payload: [...payload] }),
  });
  for (const piece of pieces) reader.push(piece);
  return found;
}

const frames = fc.array(
  fc.record({
    head: fc.record({
      type: fc.integer({ min: 0, max: 255 }),
      pty: fc.integer({ min: 0, max: 0xffff_ffff }),
      value: fc.maxSafeNat(),
    }),
    payload: fc.array(fc.integer({ min: 0, max: 255 }), { maxLength: 60 }),
  }),
  { maxLength: 8 },
);

const encode = (found: readonly Found[]): Buffer =>
  Buffer.concat(
    found.flatMap(({ head, payload }) => [
      encodeHeader(head, payload.length),
      Buffer.from(payload),
    ]),
  );

test("frames are the same in whatever pieces they come, kept or not", () => {
  fc.assert(
    fc.property(frames, fc.integer({ min: 1, max: 80 }), fc.boolean(), (sent, step, isKept) => {
      const bytes = encode(sent);
      const pieces: Uint8Array[] = [];
      for (let at = 0; at < bytes.length; at += step) pieces.push(bytes.subarray(at, at + step));
      expect(read(pieces, isKept)).toEqual(sent);
    }),
  );
});

test("a frame that says it is too large is refused before any of it is kept", () => {
  const head = encodeHeader({ type: 3, pty: 0, value: 0 }, MAX_PAYLOAD_BYTES + 1);
  expect(() => read([head])).toThrow("4194305 bytes of payload");
});

test("a value that is no exact number is refused", () => {
  const head = Buffer.alloc(HEADER_BYTES, 0xff);
  head.writeUInt32LE(0, 0);
  expect(() => read([head])).toThrow("invalid frame");
});

test.each(["", "{", "[]", "3", "null", '"text"'])("the payload %j is no request", (text) => {
  expect(() => parseJsonPayload(Buffer.from(text))).toThrow("invalid frame");
});
