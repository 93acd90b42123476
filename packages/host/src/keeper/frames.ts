// The wire between daemon and keeper: frames with a fixed header, so that output passes unparsed.
import { readFileSync } from "node:fs";
import { encodeError, type ErrorJson, NacreError } from "@nacre/contracts/plain";
import { readProcess } from "../pty/process-table.ts";
import type { ProcessIdentity } from "../pty/pty.ts";

/** The daemon trusts its keeper: other errors are passed on in full. */
export const encodeFailure = (error: unknown): ErrorJson =>
  encodeError(
    error instanceof NacreError
      ? error
      : new NacreError("internal", `the keeper failed: ${String(error)}`),
  );

/** Must be equal on both sides; additions do not change it. */
export const WIRE_VERSION = 1;

/** Numbers are never reused. */
export const FRAME_TYPES = {
  /** First frame of both sides: JSON, who speaks. */
  hello: 1,
  /** JSON, why the keeper does not serve this connection, or no longer; the last frame. */
  refusal: 2,
  /** JSON with `call`; value = request number. */
  request: 3,
  /** JSON or empty; value = request number. */
  answer: 4,
  /** JSON of an error; value = request number. */
  failure: 5,
  /** Bytes to write; value = request number. */
  input: 6,
  /** Output bytes; value = their offset. */
  output: 7,
  /** Standard error of a program without a terminal; value = offset. */
  errorOutput: 8,
  /** No output follows. */
  end: 9,
  /** JSON, how the program ended. */
  exit: 10,
  /** The reader took everything before the offset in value. */
  consumed: 11,
  /** Everything before the offset in value is recorded. */
  acknowledge: 12,
} as const;

/** Payload length u32, type u8, PTY number u32, value u64; little-endian. */
export const HEADER_BYTES = 17;

/** Larger than any input and any launch. */
export const MAX_PAYLOAD_BYTES = 4 * 1024 * 1024;

const TYPE_AT = 4;
const NUMBER_AT = 5;
const VALUE_AT = 9;
const HIGH_AT = 13;
const TWO_TO_32 = 2 ** 32;

export interface FrameHeader {
  readonly type: number;
  /** 0: none. */
  readonly pty: number;
  /** An offset or a request number. */
  readonly value: number;
}

/** With `room`, leaves space for the payload. */
export function encodeHeader(
  { type, pty, value }: FrameHeader,
  payloadBytes: number,
  room = 0,
): Buffer {
  const buffer = Buffer.allocUnsafe(HEADER_BYTES + room);
  buffer.writeUInt32LE(payloadBytes, 0);
  buffer[TYPE_AT] = type;
  buffer.writeUInt32LE(pty, NUMBER_AT);
  buffer.writeUInt32LE(value % TWO_TO_32, VALUE_AT);
  buffer.writeUInt32LE(Math.floor(value / TWO_TO_32), HIGH_AT);
  return buffer;
}

export interface FrameHandler {
  /** A buffer for a payload that is to be kept; otherwise it is only valid during `handleFrame`. */
  roomFor(head: FrameHeader, bytes: number): Uint8Array | undefined;
  handleFrame(head: FrameHeader, payload: Uint8Array): void;
}

/** Reassembles frames from chunks of any size. */
export class FrameReader {
  /** Smaller until the peer is known. */
  maxPayloadBytes = MAX_PAYLOAD_BYTES;
  readonly #handler: FrameHandler;
  readonly #headBytes = Buffer.allocUnsafeSlow(HEADER_BYTES);
  #headFilled = 0;
  #head: FrameHeader | undefined;
  #payload: Uint8Array | undefined;
  #payloadFilled = 0;

  constructor(taker: FrameHandler) {
    this.#handler = taker;
  }

  /** The bytes may be reused afterwards; throws at the first that cannot be part of a frame. */
  push(bytes: Uint8Array): void {
    let at = 0;
    while (at < bytes.byteLength) at += this.#take(bytes.subarray(at));
  }

  #take(bytes: Uint8Array): number {
    if (this.#payload) return this.#fillPayload(this.#payload, bytes);
    const taken = Math.min(HEADER_BYTES - this.#headFilled, bytes.byteLength);
    this.#headBytes.set(bytes.subarray(0, taken), this.#headFilled);
    this.#headFilled += taken;
    if (this.#headFilled < HEADER_BYTES) return taken;
    this.#headFilled = 0;
    const payloadBytes = this.#headBytes.readUInt32LE(0);
    if (payloadBytes > this.maxPayloadBytes)
      throw malformedFrame(`${payloadBytes} bytes of payload`);
    const head = this.#readHead();
    const rest = bytes.subarray(taken);
    const room = this.#handler.roomFor(head, payloadBytes);
    if (!room && rest.byteLength >= payloadBytes) {
      this.#handler.handleFrame(head, rest.subarray(0, payloadBytes));
      return taken + payloadBytes;
    }
    this.#head = head;
    this.#payload = room ?? new Uint8Array(payloadBytes);
    this.#payloadFilled = 0;
    return taken + this.#fillPayload(this.#payload, rest);
  }

  #fillPayload(payload: Uint8Array, bytes: Uint8Array): number {
    const taken = Math.min(payload.byteLength - this.#payloadFilled, bytes.byteLength);
    payload.set(bytes.subarray(0, taken), this.#payloadFilled);
    this.#payloadFilled += taken;
    if (this.#payloadFilled < payload.byteLength) return taken;
    const head = this.#head!;
    this.#payload = undefined;
    this.#handler.handleFrame(head, payload);
    return taken;
  }

  #readHead(): FrameHeader {
    const buffer = this.#headBytes;
    const value = buffer.readUInt32LE(HIGH_AT) * TWO_TO_32 + buffer.readUInt32LE(VALUE_AT);
    if (!Number.isSafeInteger(value)) throw malformedFrame(`the value ${value}`);
    return { type: buffer[TYPE_AT]!, pty: buffer.readUInt32LE(NUMBER_AT), value };
  }
}

/** Nothing more is read from its sender. */
export const malformedFrame = (what: string): NacreError =>
  new NacreError("invalid_argument", `invalid frame: ${what}`);

export function parseJsonPayload(payload: Uint8Array): Readonly<Record<string, unknown>> {
  let value: unknown;
  try {
    value = JSON.parse(Buffer.from(payload.buffer, payload.byteOffset, payload.length).toString());
  } catch {
    throw malformedFrame("a payload that is not JSON");
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw malformedFrame("a payload that is not an object");
  }
  return { ...value };
}

// How daemon and keeper introduce themselves.

/** Unknown fields are ignored, so that newer versions may say more. */
export interface Hello extends ProcessIdentity {
  readonly wireVersion: number;
  readonly version: string;
  /** Distinguishes equal pids of different boots. */
  readonly bootId: string;
}

export function createHello(version: string): Hello {
  const { pid } = process;
  const startTicks = readProcess(pid)?.startTicks ?? 0;
  return { wireVersion: WIRE_VERSION, version, pid, startTicks, bootId: readBootId() };
}

/** Refuses another wire version. */
export function parseHello(payload: Uint8Array): Hello {
  const { wireVersion, version, pid, startTicks, bootId } = parseJsonPayload(payload);
  if (typeof wireVersion !== "number") throw malformedFrame("a hello without a version");
  if (wireVersion !== WIRE_VERSION) {
    const message = `the wire has version ${WIRE_VERSION} here and ${wireVersion} there`;
    throw new NacreError("unsupported", message, {
      suggestion: "End the programs of the older version with its own `nacre stop`, then go on.",
      details: { wireVersion: WIRE_VERSION },
    });
  }
  if (typeof version !== "string" || typeof bootId !== "string")
    throw malformedFrame("an incomplete hello");
  if (typeof pid !== "number" || typeof startTicks !== "number")
    throw malformedFrame("an incomplete hello");
  return { wireVersion, version, pid, startTicks, bootId };
}

/** `/proc/sys/kernel/random/boot_id`. */
export function readBootId(): string {
  try {
    return readFileSync("/proc/sys/kernel/random/boot_id", "latin1").trim();
  } catch {
    return ""; // Other systems have no such file, and start times there are not ticks since boot.
  }
}
