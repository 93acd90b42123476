import type { EntryQuery, EntryRow, StoreReader } from "../../store/store.ts";
import { entryOf } from "../entry-row.ts";

/** Reads entries up to the first that does not decode: a damaged recording is indexed up to there, `verify` says where that is. */
export function readRows(store: StoreReader, query: EntryQuery): EntryRow[] {
  try {
    const rows = store.readEntries(query);
    const end = rows.findIndex((row) => !isReadable(row));
    return end < 0 ? rows : rows.slice(0, end);
  } catch {
    return query.limit > 1 ? readRows(store, { ...query, limit: Math.floor(query.limit / 2) }) : [];
  }
}

function isReadable(row: EntryRow): boolean {
  try {
    entryOf(row);
    return true;
  } catch {
    return false; // The one who asks goes no further.
  }
}
