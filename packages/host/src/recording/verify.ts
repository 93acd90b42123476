import type { TerminalId } from "@nacre/contracts";
import type { EntryRow, StoreReader } from "../store/store.ts";
import { firstLink, nextLink, sealDigest } from "./chain.ts";

/** What a verification found. */
export type Verdict =
  | {
      readonly ok: true;
      readonly entries: number;
      readonly firstSequence: number;
      readonly lastSequence: number;
      /** Whether the recording was closed; of one that was not, dropped entries at the very end cannot be noticed. */
      readonly sealed: boolean;
    }
  | {
      readonly ok: false;
      /** The first entry that is not what was recorded, or is missing. */
      readonly firstBadSequence: number;
      readonly reason: string;
    };

/** One step of a verification: how far it got, or its verdict. */
export type VerifyStep = { readonly verifiedSequence: number } | Verdict;

/** How much one step reads, so that other questions get their turn in between. */
const STEP_ENTRIES = 2000;
const STEP_BYTES = 8 * 1024 * 1024;

const isSame = (a: Uint8Array, b: Uint8Array): boolean => Buffer.compare(a, b) === 0;

const bad = (firstBadSequence: number, reason: string): Verdict => ({
  ok: false,
  firstBadSequence,
  reason,
});

/** Proves a recording entry by entry, in steps; the last step is the verdict. */
export function* verifyRecording(store: StoreReader, id: TerminalId): Generator<VerifyStep, void> {
  const terminal = store.readTerminal(id);
  if (!terminal) {
    yield bad(1, "there is no such terminal");
    return;
  }
  const first = firstLink(terminal);
  const anchor = store.readAnchor(id);
  let sequence = anchor?.sequence ?? 0;
  let link = anchor?.hash ?? first;
  const firstSequence = sequence + 1;
  for (;;) {
    const rows = readStep(store, id, sequence);
    if (rows.length === 0) break;
    for (const row of rows) {
      const problem = problemOf(row, sequence, link);
      if (problem !== undefined) {
        yield bad(sequence + 1, problem);
        return;
      }
      sequence = row.sequence;
      link = row.hash;
    }
    yield { verifiedSequence: sequence };
  }
  const problem = problemAfter(store, id, { first, last: link, sequence });
  yield (
    problem ?? {
      ok: true,
      entries: sequence - firstSequence + 1,
      firstSequence,
      lastSequence: sequence,
      sealed: store.readSeal(id) !== undefined,
    }
  );
}

/** Reads on; where something cannot be read, only up to there. */
function readStep(store: StoreReader, terminalId: TerminalId, after: number): EntryRow[] {
  try {
    return store.readEntries({ terminalId, after, limit: STEP_ENTRIES, maxBytes: STEP_BYTES });
  } catch {
    // Something in this step is damaged so that it cannot even be read; entry by entry it shows where.
    return readUntilDamage(store, terminalId, after);
  }
}

function readUntilDamage(store: StoreReader, terminalId: TerminalId, after: number): EntryRow[] {
  const rows: EntryRow[] = [];
  for (let sequence = after; rows.length < STEP_ENTRIES; sequence++) {
    try {
      const query = { terminalId, after: sequence, limit: 1, maxBytes: STEP_BYTES };
      const [row] = store.readEntries(query);
      if (!row) return rows;
      rows.push(row);
    } catch {
      // Here it is: a row in its place that no hash can fit.
      return [...rows, unreadableRow(terminalId, sequence + 1)];
    }
  }
  return rows;
}

function unreadableRow(terminalId: TerminalId, sequence: number): EntryRow {
  const nothing = { offset: null, facts: null, data: null, hash: new Uint8Array() };
  return { terminalId, sequence, type: "gap", at: 0, elapsedMs: 0, ...nothing };
}

function problemOf(row: EntryRow, before: number, link: Uint8Array): string | undefined {
  if (row.sequence !== before + 1) return `entry ${before + 1} is missing`;
  if (!isSame(row.hash, nextLink(link, row))) {
    return `entry ${row.sequence} is not what was recorded after entry ${before}`;
  }
  return undefined;
}

interface End {
  readonly first: Uint8Array;
  readonly last: Uint8Array;
  readonly sequence: number;
}

/** Looks at what comes after the last entry: an entry that a page did not show, or the seal. */
function problemAfter(store: StoreReader, id: TerminalId, end: End): Verdict | undefined {
  const { lastSequence } = store.readExtent(id);
  if (lastSequence !== end.sequence)
    return bad(end.sequence + 1, "the order of entries is damaged");
  const seal = store.readSeal(id);
  if (!seal) return undefined;
  if (seal.sequence > end.sequence)
    return bad(end.sequence + 1, `entry ${end.sequence + 1} is missing`);
  if (seal.sequence < end.sequence) {
    return bad(
      seal.sequence + 1,
      `entry ${seal.sequence + 1} was added after the recording was sealed`,
    );
  }
  if (isSame(seal.digest, sealDigest({ ...end, sealedAt: seal.sealedAt }))) return undefined;
  return bad(end.sequence, "the seal does not fit the recording and the row of its terminal");
}
