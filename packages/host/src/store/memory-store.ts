import {
  type AuditRecord,
  NacreError,
  type NewAuditRecord,
  type TerminalId,
  type TerminalStorage,
} from "@nacre/contracts";
import {
  type Anchor,
  type AuditKind,
  type AuditQuery,
  type AuditRemoval,
  checkSnapshotLimit,
  type EntryQuery,
  type EntryRow,
  type Extent,
  type RecordingHead,
  type Seal,
  type SnapshotRow,
  type Store,
  type TerminalPage,
  type Usage,
} from "./store.ts";

class MemoryAudit {
  /** In order of sequence. */
  #records: AuditRecord[] = [];
  #lastSequence = 0;

  insert(record: NewAuditRecord): number {
    this.#records.push(structuredClone({ sequence: ++this.#lastSequence, ...record }));
    return this.#lastSequence;
  }

  delete({ kind, throughSequence, limit }: AuditRemoval): number {
    const before = this.#records.length;
    let left = limit;
    this.#records = this.#records.filter((record) => {
      const goes = left > 0 && record.sequence <= throughSequence && isOfKind(record, kind);
      if (goes) left -= 1;
      return !goes;
    });
    return before - this.#records.length;
  }

  read({ after, limit }: AuditQuery): AuditRecord[] {
    const start = this.#indexAfter(after);
    return structuredClone(this.#records.slice(start, start + limit));
  }

  findBehind(kind: AuditKind, newerCount: number): number | undefined {
    let left = newerCount;
    const found = this.#records.findLast((record) => isOfKind(record, kind) && left-- === 0);
    return found?.sequence;
  }

  /** Returns a function that reverts all later changes. */
  undo(): () => void {
    const [records, { length }, last] = [this.#records, this.#records, this.#lastSequence];
    return () => {
      records.length = length;
      this.#records = records;
      this.#lastSequence = last;
    };
  }

  /** Index of the first record after a sequence; a binary search, since records in between may be gone. */
  #indexAfter(sequence: number): number {
    let [low, high] = [0, this.#records.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#records[middle]?.sequence ?? 0) > sequence) high = middle;
      else low = middle + 1;
    }
    return low;
  }
}

const isOfKind = ({ caller }: AuditRecord, kind: AuditKind): boolean =>
  (caller === undefined) === (kind === "strangers");

interface StoredTerminal {
  readonly row: TerminalStorage;
  /** In order of sequence, without holes. */
  entries: EntryRow[];
  /** In order of sequence. */
  snapshots: readonly SnapshotRow[];
  anchor: Anchor | undefined;
  seal: Seal | undefined;
}

/** Keeps everything in memory; gone when the process ends. */
export class MemoryStore implements Store {
  readonly name = "memory-store";
  readonly #terminals = new Map<TerminalId, StoredTerminal>();
  readonly #audit = new MemoryAudit();
  #commitToken = 0;
  /** Reverts the running transaction; newest last. */
  readonly #undo: (() => void)[] = [];

  transaction<Result>(work: () => Result): Result {
    this.#undo.length = 0;
    try {
      return work();
    } catch (error) {
      for (const undo of this.#undo.toReversed()) undo();
      throw error;
    }
  }

  insertTerminal(row: TerminalStorage): void {
    if (this.#terminals.has(row.id)) {
      throw new NacreError("already_exists", `${row.id} already exists`);
    }
    const nothing = { entries: [], snapshots: [], anchor: undefined, seal: undefined };
    this.#terminals.set(row.id, { row, ...nothing });
    this.#undo.push(() => this.#terminals.delete(row.id));
  }

  deleteTerminal(id: TerminalId): boolean {
    const before = [...this.#terminals];
    if (!this.#terminals.delete(id)) return false;
    // Restores the old order: terminals are listed in order of creation.
    this.#undo.push(() => {
      this.#terminals.clear();
      for (const [key, kept] of before) this.#terminals.set(key, kept);
    });
    return true;
  }

  insertEntry(row: EntryRow): void {
    const kept = this.#requireTerminal(row.terminalId);
    const { lastSequence } = this.readExtent(row.terminalId);
    if (row.sequence !== lastSequence + 1) {
      throw new Error(`${row.terminalId}: entry ${row.sequence} after ${lastSequence}`);
    }
    // The caller reuses its buffer, so the bytes are copied.
    kept.entries.push({ ...row, data: row.data && row.data.slice() });
    this.#undo.push(() => kept.entries.pop());
  }

  writeSeal(id: TerminalId, seal: Seal): void {
    const kept = this.#requireTerminal(id);
    if (kept.seal) throw new Error(`${id} is sealed already`);
    kept.seal = seal;
    this.#undo.push(() => (kept.seal = undefined));
  }

  insertSnapshot(id: TerminalId, row: SnapshotRow): void {
    checkSnapshotLimit(row);
    const kept = this.#requireTerminal(id);
    const { snapshots } = kept;
    const others = snapshots.filter(({ sequence }) => sequence !== row.sequence);
    kept.snapshots = [...others, { ...row, state: row.state.slice() }].toSorted(
      (a, b) => a.sequence - b.sequence,
    );
    this.#undo.push(() => (kept.snapshots = snapshots));
  }

  trim(id: TerminalId, anchor: Anchor): void {
    const kept = this.#requireTerminal(id);
    const { entries, snapshots, anchor: oldAnchor } = kept;
    const firstUseful = this.findSnapshot(id, anchor.sequence)?.sequence ?? 0;
    kept.entries = entries.slice(indexOfSequence(entries, anchor.sequence + 1));
    kept.snapshots = snapshots.filter(({ sequence }) => sequence >= firstUseful);
    kept.anchor = anchor;
    this.#undo.push(() => Object.assign(kept, { entries, snapshots, anchor: oldAnchor }));
  }

  insertAudit(record: NewAuditRecord): number {
    this.#undo.push(this.#audit.undo());
    return this.#audit.insert(record);
  }

  deleteAudit(removal: AuditRemoval): number {
    this.#undo.push(this.#audit.undo());
    return this.#audit.delete(removal);
  }

  writeCommitToken(token: number): void {
    const before = this.#commitToken;
    this.#commitToken = token;
    this.#undo.push(() => (this.#commitToken = before));
  }

  readCommitToken(): number {
    return this.#commitToken;
  }

  readReusableBytes(): number {
    return 0;
  }

  hasTerminal(id: TerminalId, createdAt?: string): boolean {
    const terminal = this.#terminals.get(id);
    return (
      terminal !== undefined && (createdAt ?? terminal.row.createdAt) === terminal.row.createdAt
    );
  }

  listTerminalIds({ after, limit }: Pick<TerminalPage, "after" | "limit">): TerminalId[] {
    const ids = [...this.#terminals.keys()];
    const start = after === undefined ? 0 : ids.indexOf(after) + 1;
    return ids.slice(start, start + limit);
  }

  readTime(id: TerminalId, sequence: number): number | undefined {
    const entries = this.#terminals.get(id)?.entries ?? [];
    const entry = entries[indexOfSequence(entries, sequence)];
    return entry?.sequence === sequence ? entry.at : undefined;
  }

  readElapsed(id: TerminalId, sequence: number): number | undefined {
    const entries = this.#terminals.get(id)?.entries ?? [];
    const entry = entries[indexOfSequence(entries, sequence)];
    return entry?.sequence === sequence ? entry.elapsedMs : undefined;
  }

  findDamage(): string | undefined {
    return undefined;
  }

  checkpointWal(): void {
    // There is no WAL.
  }

  scrub(): void {
    // Removed rows are unreferenced, and there is no file.
  }

  readTerminal(id: TerminalId): TerminalStorage | undefined {
    return this.#terminals.get(id)?.row;
  }

  listTerminals({ after, limit, newestFirst = false, owner }: TerminalPage): TerminalStorage[] {
    const all = Array.from(this.#terminals.values(), ({ row }) => row);
    const rows = newestFirst ? all.toReversed() : all;
    const start = after === undefined ? 0 : rows.findIndex(({ id }) => id === after) + 1;
    return rows.slice(start).filter(isOwnedBy(owner)).slice(0, limit);
  }

  readEntries(query: EntryQuery): EntryRow[] {
    const { terminalId, after = 0, before, types, limit, maxBytes } = query;
    const entries = this.#terminals.get(terminalId)?.entries ?? [];
    const start = indexOfSequence(entries, after + 1);
    const end = before === undefined ? entries.length : indexOfSequence(entries, before);
    const step = before === undefined ? 1 : -1;
    const page: EntryRow[] = [];
    let bytes = 0;
    for (let place = step > 0 ? start : end - 1; place >= start && place < end; place += step) {
      const row = entries[place];
      if (!row || page.length >= limit) break;
      if (types && !types.includes(row.type)) continue;
      bytes += row.data?.byteLength ?? 0;
      if (bytes > maxBytes && page.length > 0) break;
      page.push({ ...row, data: row.data && row.data.slice() });
    }
    return before === undefined ? page : page.toReversed();
  }

  readExtent(id: TerminalId): Extent {
    const kept = this.#terminals.get(id);
    const anchor = kept?.anchor?.sequence ?? 0;
    return {
      firstSequence: kept?.entries[0]?.sequence ?? anchor + 1,
      lastSequence: kept?.entries.at(-1)?.sequence ?? anchor,
    };
  }

  readHead(id: TerminalId): RecordingHead | undefined {
    const last = this.#terminals.get(id)?.entries.at(-1);
    if (!last) return undefined;
    // Not the row itself: its data is ours, and the caller may transfer it.
    const { sequence, hash, at, elapsedMs } = last;
    return { sequence, hash, at, elapsedMs };
  }

  readAnchor(id: TerminalId): Anchor | undefined {
    return this.#terminals.get(id)?.anchor;
  }

  readSeal(id: TerminalId): Seal | undefined {
    return this.#terminals.get(id)?.seal;
  }

  listUnsealed(): TerminalId[] {
    return [...this.#terminals.values()].flatMap(({ row, seal }) => (seal ? [] : [row.id]));
  }

  findSnapshot(id: TerminalId, atOrBefore: number): SnapshotRow | undefined {
    const snapshots = this.#terminals.get(id)?.snapshots;
    const found = snapshots?.findLast(({ sequence }) => sequence <= atOrBefore);
    return found && { ...found, state: found.state.slice() };
  }

  readUsage(): Usage[] {
    return [...this.#terminals.values()].map(({ row, entries, seal }) => ({
      terminalId: row.id,
      ...this.readExtent(row.id),
      dataBytes: entries.reduce((sum, { data }) => sum + (data?.byteLength ?? 0), 0),
      lastAt:
        entries.length === 0
          ? Date.parse(row.createdAt)
          : entries.reduce((newest, { at }) => Math.max(newest, at), 0),
      sealed: seal !== undefined,
    }));
  }

  findNewerThan(id: TerminalId, at: number): number | undefined {
    return this.#terminals.get(id)?.entries.find((entry) => entry.at > at)?.sequence;
  }

  findEndOfBytes(id: TerminalId, dataBytes: number): number | undefined {
    let total = 0;
    return this.#terminals.get(id)?.entries.find(({ data }) => {
      total += data?.byteLength ?? 0;
      return total >= dataBytes;
    })?.sequence;
  }

  readDataBytes(id: TerminalId, throughSequence: number): number {
    const entries = this.#terminals.get(id)?.entries ?? [];
    return entries
      .slice(0, indexOfSequence(entries, throughSequence + 1))
      .reduce((sum, { data }) => sum + (data?.byteLength ?? 0), 0);
  }

  readAudit(query: AuditQuery): AuditRecord[] {
    return this.#audit.read(query);
  }

  findAuditBehind(kind: AuditKind, newerCount: number): number | undefined {
    return this.#audit.findBehind(kind, newerCount);
  }

  [Symbol.dispose](): void {
    // Nothing to release; readers may go on.
  }

  #requireTerminal(id: TerminalId): StoredTerminal {
    const kept = this.#terminals.get(id);
    if (!kept) throw new NacreError("terminal_not_found", `no terminal has the id ${id}`);
    return kept;
  }
}

/** Sequences have no holes, so the index follows from the first one. */
function indexOfSequence(entries: readonly EntryRow[], sequence: number): number {
  const first = entries[0]?.sequence ?? sequence;
  return Math.min(Math.max(0, sequence - first), entries.length);
}

/** Without an owner, all rows match. */
const isOwnedBy =
  (filter: TerminalPage["owner"]) =>
  ({ owner }: TerminalStorage): boolean =>
    filter === undefined ||
    (owner.entityName === filter.entityName &&
      (filter.entityId === undefined || owner.entityId === filter.entityId));
