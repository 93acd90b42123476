// The hash chain of a recording: each entry's hash covers the entry and the hash before, so none can be changed, dropped, swapped or inserted unnoticed.
import { createHash, hash } from "node:crypto";
import type { TerminalStorage } from "@nacre/contracts";
import type { Anchor, EntryRow } from "../store/store.ts";
import { encodeTerminal } from "../store/sqlite-rows.ts";

/** Named in the first hash, so that another form of the chain can never be taken for this one. */
const CHAIN_NAME = "nacre recording 1";
const SEAL_NAME = "nacre seal 1";
const ANCHOR_NAME = "nacre anchor 1";

/** Sequence, time, elapsed time, offset, and the lengths of what follows. */
const HEAD_BYTES = 8 * 4 + 4 * 3;

/** Says in the head that a column is empty, which is not the same as of no length. */
const ABSENT = 0xffff_ffff;

/** What is hashed is put together here: hashing one piece costs half of hashing several. */
let scratch = Buffer.alloc(256 * 1024);

/** What a chain begins with: the row of its terminal, which so cannot be changed unnoticed either. */
export function firstLink(terminal: TerminalStorage): Uint8Array {
  const row = JSON.stringify([CHAIN_NAME, ...encodeTerminal(terminal)]);
  return createHash("sha256").update(row).digest();
}

/** The hash of an entry, after the hash of the entry before it. */
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
  // No offset is no number at all, which no column can hold.
  scratch.writeDoubleBE(offset ?? Number.NaN, head + 24);
  scratch.writeUInt32BE(typeBytes, head + 32);
  scratch.writeUInt32BE(facts === null ? ABSENT : factsBytes, head + 36);
  scratch.writeUInt32BE(data?.byteLength ?? ABSENT, head + 40);
  scratch.write(type, body);
  if (facts !== null) scratch.write(facts, body + typeBytes);
  if (data !== null) scratch.set(data, body + typeBytes + factsBytes);
  return hash("sha256", scratch.subarray(0, end), "buffer");
}

/** Where a chain is closed, and when. */
interface ChainEnd {
  readonly first: Uint8Array;
  readonly last: Uint8Array;
  readonly sequence: number;
  readonly sealedAt: number;
}

/** What closes a chain: it covers the first link, so that the terminal's row is proven even when the oldest entries are gone. */
export function sealDigest({ first, last, sequence, sealedAt }: ChainEnd): Uint8Array {
  const end = JSON.stringify([SEAL_NAME, sequence, sealedAt]);
  return createHash("sha256").update(first).update(last).update(end).digest();
}

/** What an anchor stands for: the place of an entry that is gone, and the size the terminal had there. */
type AnchorPlace = Pick<Anchor, "sequence" | "hash" | "cols" | "rows">;

/** Covers an anchor and the row of its terminal. */
export function anchorDigest(
  first: Uint8Array,
  { sequence, hash: link, cols, rows }: AnchorPlace,
): Uint8Array {
  const place = JSON.stringify([ANCHOR_NAME, sequence, cols, rows]);
  return createHash("sha256").update(first).update(link).update(place).digest();
}
