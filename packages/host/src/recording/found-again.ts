import { isDeepStrictEqual } from "node:util";
import type { TerminalId } from "@nacre/contracts";
import type { EntryRow, StoreReader } from "../store/store.ts";
import type { AuditWrite, EntryWrite } from "./write.ts";

/** So much is looked at once; more is seldom on its way to a recorder. */
const PAGE_ENTRIES = 1000;
const PAGE_BYTES = 4 * 1024 * 1024;

/** Where to look in a recording, or in the audit. */
interface SequenceRange {
  /** Behind what was found and is settled: writes are handed over again in their order. */
  after: number;
  /** Behind what the group that is being written has found. */
  next: number;
  /** Up to where the recorder that ended has written. */
  readonly through: number;
}

/** Finds what a recorder that ended had written of that which is handed over again; one for as long as a recorder lives, whichever store it has open. */
export class ReplayDedup {
  readonly #ranges = new Map<TerminalId | "audit", SequenceRange>();
  #touched: SequenceRange[] = [];

  /** The group that was written is there: nothing in it is looked for again. */
  commit(): void {
    for (const range of this.#touched) range.after = range.next;
    this.#touched = [];
  }

  /** Another group begins; one that is not there is written again. */
  rollback(): void {
    for (const range of this.#touched) range.next = range.after;
    this.#touched = [];
  }

  /** The entry of a write, where it is there already. */
  findEntry(store: StoreReader, write: EntryWrite): EntryRow | undefined {
    const { terminalId, mayBeBehind, type } = write;
    if (mayBeBehind === undefined) return undefined;
    const range =
      this.#ranges.get(terminalId) ??
      this.#addRange(terminalId, mayBeBehind, store.readExtent(terminalId).lastSequence);
    const page = { terminalId, types: [type], limit: PAGE_ENTRIES, maxBytes: PAGE_BYTES };
    for (let after = range.next; after < range.through;) {
      const rows = store.readEntries({ ...page, after });
      const found = rows.find((row) => row.sequence <= range.through && isSameEntry(row, write));
      if (found) {
        this.#note(range, found.sequence);
        return found;
      }
      after = rows.at(-1)?.sequence ?? range.through;
    }
    return undefined;
  }

  /** The place of a record of the audit, where it is there already. */
  findRecord(store: StoreReader, { mayBeBehind, record }: AuditWrite): number | undefined {
    if (mayBeBehind === undefined) return undefined;
    const readAfter = (after: number) => store.readAudit({ after, limit: PAGE_ENTRIES });
    const range =
      this.#ranges.get("audit") ??
      this.#addRange("audit", mayBeBehind, readAfter(mayBeBehind).at(-1)?.sequence ?? 0);
    if (range.next >= range.through) return undefined;
    const found = readAfter(range.next).find(
      ({ sequence, ...rest }) => sequence <= range.through && isDeepStrictEqual(rest, record),
    );
    if (found) this.#note(range, found.sequence);
    return found?.sequence;
  }

  /** Where to look is as it was when something was looked for first: what this recorder wrote itself is something else. */
  #addRange(id: TerminalId | "audit", after: number, through: number): SequenceRange {
    const range = { after, next: after, through };
    this.#ranges.set(id, range);
    return range;
  }

  #note(range: SequenceRange, sequence: number): void {
    range.next = sequence;
    this.#touched.push(range);
  }
}

function isSameEntry(row: EntryRow, write: EntryWrite): boolean {
  const [had, has] = [row.data ?? new Uint8Array(), write.data ?? new Uint8Array()];
  const isFact = row.type === write.type && row.at === write.at && row.facts === write.facts;
  return isFact && row.offset === write.offset && Buffer.compare(had, has) === 0;
}
