import type { TerminalId, TerminalStorage } from "@nacre/contracts";
import type { Anchor, EntryRow, Seal, StoreReader } from "../store/store.ts";
import { anchorDigest, firstLink, nextLink, sealDigest } from "./chain.ts";
import { isDamage } from "./store-errors.ts";

export type VerifyResult =
  | {
      readonly ok: true;
      readonly entries: number;
      readonly firstSequence: number;
      readonly lastSequence: number;
      /** Of an unsealed recording, entries dropped at the very end go unnoticed. */
      readonly sealed: boolean;
    }
  | {
      readonly ok: false;
      /** The first changed or missing entry. */
      readonly firstBadSequence: number;
      readonly reason: string;
    };

/** Progress, or the verdict. */
export type VerifyStep = { readonly verifiedSequence: number } | VerifyResult;

/** Per step, so that other queries get their turn. */
const STEP_ENTRIES = 2000;
const STEP_BYTES = 8 * 1024 * 1024;

const isSame = (a: Uint8Array, b: Uint8Array): boolean => Buffer.compare(a, b) === 0;

const failure = (firstBadSequence: number, reason: string): VerifyResult => ({
  ok: false,
  firstBadSequence,
  reason,
});

/** In steps; the last one is the verdict. */
export function* verifyRecording(store: StoreReader, id: TerminalId): Generator<VerifyStep, void> {
  if (!store.hasTerminal(id)) {
    yield failure(1, "there is no such terminal");
    return;
  }
  const terminal = readTerminal(store, id);
  if (!terminal) {
    yield failure(1, "the row of the terminal is damaged");
    return;
  }
  // Later appends are ignored; the seal is read first, since nothing follows it.
  const seal = readOr(() => store.readSeal(id), UNREADABLE);
  // Where the end is unreadable, everything up to the damage is checked.
  const { lastSequence } = readOr(() => store.readExtent(id), UNKNOWN_END);
  const first = firstLink(terminal);
  const anchor = readOr(() => store.readAnchor(id), UNREADABLE);
  if (anchor === UNREADABLE) {
    yield failure(1, "the place where the recording begins cannot be read");
    return;
  }
  const problem = anchor && checkAnchor(store, id, { first, anchor });
  if (problem) {
    yield problem;
    return;
  }
  const beginning = anchor ?? { sequence: 0, hash: first };
  let { sequence, hash: last } = beginning;
  while (sequence < lastSequence) {
    const rows = readStep(store, id, sequence);
    for (const row of rows) {
      const problem = findProblem(row, sequence, last);
      if (problem !== undefined) {
        // The oldest entries may have been removed meanwhile.
        const moved = readOr(() => store.readAnchor(id), undefined);
        if (!moved || moved.sequence <= sequence) {
          yield failure(sequence + 1, problem);
          return;
        }
        ({ sequence, hash: last } = moved);
        break;
      }
      ({ sequence, hash: last } = row);
    }
    if (rows.length === 0) {
      yield failure(sequence + 1, `entry ${sequence + 1} is missing`);
      return;
    }
    yield { verifiedSequence: sequence };
  }
  const firstSequence = beginning.sequence + 1;
  yield (
    checkSeal(seal, { first, last, sequence }) ?? {
      ok: true,
      entries: sequence - beginning.sequence,
      firstSequence,
      lastSequence: sequence,
      sealed: seal !== undefined,
    }
  );
}

const UNKNOWN_END = { lastSequence: Number.MAX_SAFE_INTEGER };

const UNREADABLE = Symbol("unreadable");

/** `otherwise` stands for what is damaged. */
function readOr<Result, Otherwise>(read: () => Result, otherwise: Otherwise): Result | Otherwise {
  try {
    return read();
  } catch (error) {
    if (isDamage(error)) return otherwise;
    throw error;
  }
}

function readTerminal(store: StoreReader, id: TerminalId): TerminalStorage | undefined {
  try {
    return store.readTerminal(id);
  } catch {
    return undefined; // The verdict reports the damage.
  }
}

/** Stops where a row cannot be read. */
function readStep(store: StoreReader, terminalId: TerminalId, after: number): EntryRow[] {
  try {
    return store.readEntries({ terminalId, after, limit: STEP_ENTRIES, maxBytes: STEP_BYTES });
  } catch {
    // A row in this step cannot be read; one by one shows which.
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
      // A placeholder that no hash matches.
      return [...rows, unreadableRow(terminalId, sequence + 1)];
    }
  }
  return rows;
}

function unreadableRow(terminalId: TerminalId, sequence: number): EntryRow {
  const nothing = { offset: null, facts: null, data: null, hash: new Uint8Array() };
  return { terminalId, sequence, type: "gap", at: 0, elapsedMs: 0, ...nothing };
}

function findProblem(row: EntryRow, before: number, link: Uint8Array): string | undefined {
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

interface Beginning {
  readonly first: Uint8Array;
  readonly anchor: Anchor;
}

/** Entries before the anchor are gone, and the recorder made the anchor. */
function checkAnchor(
  store: StoreReader,
  id: TerminalId,
  { first, anchor }: Beginning,
): VerifyResult | undefined {
  // Where the extent is unreadable, the entries show it.
  const { firstSequence } = readOr(() => store.readExtent(id), {
    firstSequence: anchor.sequence + 1,
  });
  if (firstSequence <= anchor.sequence) {
    return failure(firstSequence, `entry ${firstSequence} was removed and is there again`);
  }
  if (isSame(anchor.digest, anchorDigest(first, anchor))) return undefined;
  return failure(
    anchor.sequence + 1,
    "the place where the recording begins is not what was recorded",
  );
}

/** A seal fits exactly one end. */
function checkSeal(seal: Seal | typeof UNREADABLE | undefined, end: End): VerifyResult | undefined {
  if (!seal) return undefined;
  if (seal === UNREADABLE) return failure(Math.max(1, end.sequence), "the seal cannot be read");
  const next = end.sequence + 1;
  if (seal.sequence > end.sequence) return failure(next, `entry ${next} is missing`);
  if (seal.sequence < end.sequence) {
    const added = seal.sequence + 1;
    return failure(added, `entry ${added} was added after the recording was sealed`);
  }
  if (isSame(seal.digest, sealDigest({ ...end, sealedAt: seal.sealedAt }))) return undefined;
  const reason = "the seal does not fit the recording and the row of its terminal";
  return failure(Math.max(1, end.sequence), reason);
}
