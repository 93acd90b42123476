// The hash chain of a recording: each hash covers an entry and the hash before, so that no entry can be changed,
// dropped, swapped or inserted unnoticed.
import { createHash, hash } from "node:crypto";
import type { TerminalStorage } from "@nacre/contracts";
import type { Anchor, EntryRow } from "../store/store.ts";
import { encodeTerminal } from "../store/sqlite-rows.ts";

/** Part of the first hash: another version of the chain never matches. */
const CHAIN_NAME = "nacre recording 1";
const SEAL_NAME = "nacre seal 1";
const ANCHOR_NAME = "nacre anchor 1";

/** Sequence, time, elapsed time, offset, and the lengths of what follows. */
const HEAD_BYTES = 8 * 4 + 4 * 3;

/** Marks an empty column, which differs from one of length 0. */
const ABSENT = 0xffff_ffff;

/** Hashing one buffer costs half of hashing several. */
let scratch = Buffer.alloc(256 * 1024);

/** The first link covers the terminal's row, so that it cannot be changed unnoticed either. */
export function firstLink(terminal: TerminalStorage): Uint8Array {
  const row = JSON.stringify([CHAIN_NAME, ...encodeTerminal(terminal)]);
  return createHash("sha256").update(row).digest();
}

export function nextLink(
  before: Uint8Array,
  { sequence, at, elapsedMs, offset, type, facts, data }: Omit<EntryRow, "terminalId" | "hash">,
): Uint8Array {
  const typeBytes = Buffer.byteLength(type);
  const factsBytes = facts === null ? 0 : Buffer.byteLength(facts);
  const head = before.byteLength;
  const body = head + HEAD_BYTES;
  const end = body + typeBytes + factsBytes + (data?.byteLength ?? 0);
  if (end > scratch.byteLength) scratch = Buffer.alloc(end);
  scratch.set(before);
  scratch.writeDoubleBE(sequence, head);
  scratch.writeDoubleBE(at, head + 8);
  scratch.writeDoubleBE(elapsedMs, head + 16);
  // NaN for no offset; no column can hold it.
  scratch.writeDoubleBE(offset ?? Number.NaN, head + 24);
  scratch.writeUInt32BE(typeBytes, head + 32);
  scratch.writeUInt32BE(facts === null ? ABSENT : factsBytes, head + 36);
  scratch.writeUInt32BE(data?.byteLength ?? ABSENT, head + 40);
  scratch.write(type, body);
  if (facts !== null) scratch.write(facts, body + typeBytes);
  if (data !== null) scratch.set(data, body + typeBytes + factsBytes);
  return hash("sha256", scratch.subarray(0, end), "buffer");
}

interface ChainEnd {
  readonly first: Uint8Array;
  readonly last: Uint8Array;
  readonly sequence: number;
  readonly sealedAt: number;
}

/** Covers the first link, so that the terminal's row is proven even when the oldest entries are gone. */
export function sealDigest({ first, last, sequence, sealedAt }: ChainEnd): Uint8Array {
  const end = JSON.stringify([SEAL_NAME, sequence, sealedAt]);
  return createHash("sha256").update(first).update(last).update(end).digest();
}

type AnchorPlace = Pick<Anchor, "sequence" | "hash" | "cols" | "rows">;

export function anchorDigest(
  first: Uint8Array,
  { sequence, hash: link, cols, rows }: AnchorPlace,
): Uint8Array {
  const place = JSON.stringify([ANCHOR_NAME, sequence, cols, rows]);
  return createHash("sha256").update(first).update(link).update(place).digest();
}
