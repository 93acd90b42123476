import type { TerminalId } from "@nacre/contracts";
import type { Anchor, EntryQuery, EntryRow, StoreReader } from "../../store/store.ts";
import { isDamage } from "../disk-problem.ts";
import { decodeEntry } from "../entry-row.ts";

/** What is recorded of a terminal cannot be read. */
class DamagedRecording extends Error {}

/** Reads something of a recording, and tells damage of it from damage of the index. */
export function readRecorded<Result>(read: () => Result): Result {
  try {
    return read();
  } catch (cause) {
    if (isDamage(cause)) throw new DamagedRecording("the recording is damaged", { cause });
    throw cause;
  }
}

/** Goes on without a recording that is damaged: one must not keep all others from being found. */
export function skipDamaged<Result>(
  look: () => Result,
  handleDamage: (cause: unknown) => void,
): Result | undefined {
  try {
    return look();
  } catch (error) {
    if (!(error instanceof DamagedRecording)) throw error;
    handleDamage(error.cause);
    return undefined;
  }
}

/** Reads entries up to the first that does not decode: a damaged recording is indexed up to there, `verify` says where that is. */
export function readDecodableRows(
  store: StoreReader,
  query: EntryQuery,
  handleDamage: (cause: unknown) => void = () => undefined,
): EntryRow[] {
  try {
    const rows = store.readEntries(query);
    const end = rows.findIndex((row) => !isReadable(row, handleDamage));
    return end < 0 ? rows : rows.slice(0, end);
  } catch (cause) {
    if (query.limit > 1) {
      return readDecodableRows(
        store,
        { ...query, limit: Math.floor(query.limit / 2) },
        handleDamage,
      );
    }
    if (isDamage(cause)) handleDamage(cause);
    return [];
  }
}

/** How far a terminal is indexed, and where its recording begins. */
interface IndexedExtent {
  readonly through: number;
  readonly hash: Uint8Array;
  readonly anchor: Anchor | undefined;
}

/** Tells whether what was indexed is what is recorded; a store that was put back may have gone on differently. */
export function isIndexedPrefix(
  store: StoreReader,
  terminalId: TerminalId,
  indexed: IndexedExtent,
): boolean {
  const { through, hash, anchor } = indexed;
  if (through === 0 || through <= (anchor?.sequence ?? 0)) return true;
  const [row] = readDecodableRows(store, { terminalId, after: through - 1, limit: 1, maxBytes: 1 });
  return row?.sequence === through && Buffer.compare(row.hash, hash) === 0;
}

function isReadable(row: EntryRow, handleDamage: (cause: unknown) => void): boolean {
  try {
    decodeEntry(row);
    return true;
  } catch (cause) {
    // The one who asks goes no further.
    handleDamage(cause);
    return false;
  }
}
