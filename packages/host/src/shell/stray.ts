import { codePointLength } from "./utf8.ts";

/**
 * What a byte does to the Control in which it stands and to which it does not belong: nothing, since terminals act on
 * most control characters and then go on; it interrupts it by another, aborts it, or is a letter, which has no place
 * there. Unknown when it takes more bytes to tell.
 */
export type StrayByteEffect = "ignored" | "interrupts" | "aborts" | "letter" | "unknown";

const CAN = 0x18;
const SUB = 0x1a;
const ESC = 0x1b;

/** Tells what the byte at a place does, from bytes that end at a limit. */
export function classifyStray(bytes: Uint8Array, at: number, limit: number): StrayByteEffect {
  const byte = bytes[at] ?? 0;
  if (byte === CAN || byte === SUB) return "aborts";
  if (byte === ESC) return "interrupts";
  const length = byte >= 0x80 ? codePointLength(bytes, at, limit) : 0;
  if (length < 0) return "unknown";
  if (length === 0) return "ignored";
  const isUpperControl = byte === 0xc2 && (bytes[at + 1] ?? 0) < 0xa0;
  return isUpperControl ? "interrupts" : "letter";
}
