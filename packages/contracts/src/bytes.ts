import { z } from "zod";
import { NacreError } from "./nacre-error.ts";

export const Encoding = z.literal("base64").meta({
  description:
    "Present when the data is base64 of bytes; absent when it is the text itself, in UTF-8.",
});
export type Encoding = z.infer<typeof Encoding>;

/** Bytes for JSON: the text itself where it is valid UTF-8, base64 otherwise. */
export interface EncodedBytes {
  readonly data: string;
  readonly encoding?: Encoding | undefined;
}

/** Keeps a byte order mark and fails on invalid bytes: the round trip is exact. */
const strictUtf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const utf8 = new TextEncoder();

/** Some engines overflow the stack when more arguments are spread into one call. */
const MAX_SPREAD_BYTES = 0x8000;

/** Endings of base64 whose unused bits are zero; otherwise two texts would encode the same bytes. */
const CANONICAL_END =
  /(?:[A-Za-z0-9+/]{4}|[A-Za-z0-9+/]{2}[AEIMQUYcgkosw048]=|[A-Za-z0-9+/][AQgw]==)$/;

/** Searches for one wrong character; a pattern over the whole text would need stack in proportion to its length. */
const isBase64 = (data: string): boolean =>
  data.length % 4 === 0 &&
  !/[^A-Za-z0-9+/]/.test(data.replace(/={1,2}$/, "")) &&
  (data === "" || CANONICAL_END.test(data.slice(-4)));

function textOf(bytes: Uint8Array): string | undefined {
  try {
    return strictUtf8.decode(bytes);
  } catch {
    // Not UTF-8 is expected here; the caller then uses base64.
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

/** Encodes bytes for JSON; `decodeBytes` returns exactly the same bytes. */
export function encodeBytes(bytes: Uint8Array): EncodedBytes {
  const text = textOf(bytes);
  return text === undefined ? { data: base64Of(bytes), encoding: "base64" } : { data: text };
}

/** Reverses `encodeBytes`; throws `invalid_argument` when the data does not match its encoding. */
export function decodeBytes(encoded: EncodedBytes): Uint8Array<ArrayBuffer> {
  const problem = problemWithData(encoded);
  if (problem !== undefined) throw new NacreError("invalid_argument", problem, { field: "data" });
  if (encoded.encoding === undefined) return utf8.encode(encoded.data);
  return Uint8Array.from(atob(encoded.data), (character) => character.charCodeAt(0));
}

/** Why the data does not match its encoding; undefined when it does. */
export function problemWithData({ data, encoding }: EncodedBytes): string | undefined {
  if (encoding === "base64") return isBase64(data) ? undefined : "`data` is not base64";
  return data.isWellFormed() ? undefined : "`data` is not well-formed Unicode";
}

/** Number of bytes that `decodeBytes` returns for valid data. */
export function byteCountOf({ data, encoding }: EncodedBytes): number {
  if (encoding === undefined) return utf8.encode(data).length;
  const padding = data.endsWith("==") ? 2 : data.endsWith("=") ? 1 : 0;
  return Math.floor(data.length / 4) * 3 - padding;
}

/** Base64 is the longest form that `encodeBytes` produces. */
export const base64LengthOf = (byteCount: number): number => Math.ceil(byteCount / 3) * 4;

/** Valid data only; an overlong text is not even counted. */
export function hasMoreBytesThan(encoded: EncodedBytes, maxBytes: number): boolean {
  if (encoded.encoding === undefined && encoded.data.length > maxBytes) return true;
  return byteCountOf(encoded) > maxBytes;
}
