import { z } from "zod";
import { NacreError } from "./nacre-error.ts";

/** Says that a text field holds base64 instead of the text itself. */
export const Encoding = z.literal("base64").meta({
  description:
    "Present when the data is base64 of bytes; absent when it is the text itself, in UTF-8.",
});
export type Encoding = z.infer<typeof Encoding>;

/** Bytes in a form that JSON can carry: the text itself where it is valid UTF-8, base64 otherwise. */
export interface EncodedBytes {
  readonly data: string;
  readonly encoding?: Encoding | undefined;
}

/** Keeps a byte order mark, and fails instead of replacing: only so is the round trip exact. */
const strictUtf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const utf8 = new TextEncoder();

/** Spreading more arguments than this into one call overflows the stack of some engines. */
const MAX_SPREAD_BYTES = 0x8000;

/** The ends of base64 whose unused bits are zero; with others, two texts would stand for the same bytes. */
const CANONICAL_END =
  /(?:[A-Za-z0-9+/]{4}|[A-Za-z0-9+/]{2}[AEIMQUYcgkosw048]=|[A-Za-z0-9+/][AQgw]==)$/;

/** Looks for one wrong character, so that it needs no stack however long the data is. */
const isBase64 = (data: string): boolean =>
  data.length % 4 === 0 &&
  !/[^A-Za-z0-9+/]/.test(data.replace(/={1,2}$/, "")) &&
  (data === "" || CANONICAL_END.test(data.slice(-4)));

function textOf(bytes: Uint8Array): string | undefined {
  try {
    return strictUtf8.decode(bytes);
  } catch {
    // Not UTF-8: an expected answer here, the caller then uses base64.
    return undefined;
  }
}

function base64Of(bytes: Uint8Array): string {
  let binary = "";
  for (let start = 0; start < bytes.length; start += MAX_SPREAD_BYTES) {
    binary += String.fromCharCode(...bytes.subarray(start, start + MAX_SPREAD_BYTES));
  }
  return btoa(binary);
}

/** Writes bytes down for JSON; `decodeBytes` gives exactly the same bytes back. */
export function encodeBytes(bytes: Uint8Array): EncodedBytes {
  const text = textOf(bytes);
  return text === undefined ? { data: base64Of(bytes), encoding: "base64" } : { data: text };
}

/** Reads what `encodeBytes` wrote; throws `invalid_argument` when the data is not what its encoding says. */
export function decodeBytes(encoded: EncodedBytes): Uint8Array<ArrayBuffer> {
  const problem = problemWithData(encoded);
  if (problem !== undefined) throw new NacreError("invalid_argument", problem, { field: "data" });
  if (encoded.encoding === undefined) return utf8.encode(encoded.data);
  return Uint8Array.from(atob(encoded.data), (character) => character.charCodeAt(0));
}

/** Says in words why the data is not what its encoding says, or nothing when it is. */
export function problemWithData({ data, encoding }: EncodedBytes): string | undefined {
  if (encoding === "base64") return isBase64(data) ? undefined : "`data` is not base64";
  return data.isWellFormed() ? undefined : "`data` is not well-formed Unicode";
}

/** Counts the bytes that `decodeBytes` would give for valid data. */
export function byteCountOf({ data, encoding }: EncodedBytes): number {
  if (encoding === undefined) return utf8.encode(data).length;
  const padding = data.endsWith("==") ? 2 : data.endsWith("=") ? 1 : 0;
  return Math.floor(data.length / 4) * 3 - padding;
}

/** The length of the base64 of so many bytes, which no other form of them exceeds. */
export const base64LengthOf = (byteCount: number): number => Math.ceil(byteCount / 3) * 4;

/** Tells whether valid data has more bytes than this; text that is too long is not even counted. */
export function hasMoreBytesThan(encoded: EncodedBytes, maxBytes: number): boolean {
  if (encoded.encoding === undefined && encoded.data.length > maxBytes) return true;
  return byteCountOf(encoded) > maxBytes;
}
