import { isDeepStrictEqual } from "node:util";
import type { TerminalId } from "@nacre/contracts";
import type { EntryRow, StoreReader } from "../store/store.ts";
import type { AuditWrite, EntryWrite } from "./write.ts";

/** So much is looked at once; more is seldom on its way to a recorder. */
const PAGE_ENTRIES = 1000;
const PAGE_BYTES = 4 * 1024 * 1024;

/** Where to look in a recording, or in the audit. */
interface Range {
  /** Behind what was found last: writes are handed over again in their order. */
  after: number;
  /** Up to where the recorder that ended has written. */
  readonly through: number;
}

/** Finds what a recorder that ended had written of that which is handed over again. */
export class FoundAgain {
  readonly #store: StoreReader;
  readonly #ranges = new Map<TerminalId | "audit", Range>();

  constructor(store: StoreReader) {
    this.#store = store;
  }

  /** Looks from the beginning again, because what happened since is not committed. */
  forget(): void {
    this.#ranges.clear();
  }

  /** The entry of a write, where it is there already. */
  findEntry(write: EntryWrite): EntryRow | undefined {
    const { terminalId, mayBeBehind, type } = write;
    if (mayBeBehind === undefined) return undefined;
    const { lastSequence } = this.#store.readExtent(terminalId);
    const range = this.#rangeOf(terminalId, { after: mayBeBehind, through: lastSequence });
    const page = { terminalId, types: [type], limit: PAGE_ENTRIES, maxBytes: PAGE_BYTES };
    for (let { after } = range; after < range.through;) {
      const rows = this.#store.readEntries({ ...page, after });
      const found = rows.find((row) => row.sequence <= range.through && isSame(row, write));
      if (found) {
        range.after = found.sequence;
        return found;
      }
      after = rows.at(-1)?.sequence ?? range.through;
    }
    return undefined;
  }

  /** The place of a record of the audit, where it is there already. */
  findRecord({ mayBeBehind, record }: AuditWrite): number | undefined {
    if (mayBeBehind === undefined) return undefined;
    const records = this.#store.readAudit({ after: mayBeBehind, limit: PAGE_ENTRIES });
    const through = records.at(-1)?.sequence ?? mayBeBehind;
    const range = this.#rangeOf("audit", { after: mayBeBehind, through });
    const found = records.find(
      ({ sequence, ...rest }) =>
        sequence > range.after && sequence <= range.through && isDeepStrictEqual(rest, record),
    );
    if (found) range.after = found.sequence;
    return found?.sequence;
  }

  /** Where to look, as it was when something was looked for first. */
  #rangeOf(id: TerminalId | "audit", first: Range): Range {
    const range = this.#ranges.get(id) ?? first;
    this.#ranges.set(id, range);
    return range;
  }
}

function isSame(row: EntryRow, write: EntryWrite): boolean {
  const [had, has] = [row.data ?? new Uint8Array(), write.data ?? new Uint8Array()];
  const isFact = row.type === write.type && row.at === write.at && row.facts === write.facts;
  return isFact && row.offset === write.offset && Buffer.compare(had, has) === 0;
}
