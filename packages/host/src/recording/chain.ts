// The hash chain of a recording: each entry's hash covers the entry and the hash before, so none can be changed, dropped, swapped or inserted unnoticed.
import { createHash } from "node:crypto";
import type { TerminalStorage } from "@nacre/contracts";
import type { EntryRow } from "../store/store.ts";
import { terminalColumns } from "../store/terminal-row.ts";

/** Named in the first hash, so that another form of the chain can never be taken for this one. */
const CHAIN_NAME = "nacre recording 1";
const SEAL_NAME = "nacre seal 1";

/** Sequence, time, elapsed time, offset, and the lengths of what follows. */
const HEAD_BYTES = 8 * 4 + 4 * 3;

/** Says in the head that a column is empty, which is not the same as of no length. */
const ABSENT = 0xffff_ffff;

const utf8 = new TextEncoder();

/** What a chain begins with: the row of its terminal, which so cannot be changed unnoticed either. */
export function firstLink(terminal: TerminalStorage): Uint8Array {
  const row = JSON.stringify([CHAIN_NAME, ...terminalColumns(terminal)]);
  return createHash("sha256").update(row).digest();
}

/** The hash of an entry, after the hash of the entry before it. */
export function nextLink(
  before: Uint8Array,
  row: Omit<EntryRow, "terminalId" | "hash">,
): Uint8Array {
  const type = utf8.encode(row.type);
  const facts = row.facts === null ? null : utf8.encode(row.facts);
  const head = new DataView(new ArrayBuffer(HEAD_BYTES));
  head.setFloat64(0, row.sequence);
  head.setFloat64(8, row.at);
  head.setFloat64(16, row.elapsedMs);
  head.setFloat64(24, row.offset ?? -1);
  head.setUint32(32, type.byteLength);
  head.setUint32(36, facts?.byteLength ?? ABSENT);
  head.setUint32(40, row.data?.byteLength ?? ABSENT);
  const hash = createHash("sha256").update(before).update(head).update(type);
  if (facts !== null) hash.update(facts);
  if (row.data !== null) hash.update(row.data);
  return hash.digest();
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
