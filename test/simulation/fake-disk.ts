// A disk under the real recorder: it keeps what was synced and what was only written apart, is full, fails, and forgets.
import type { NewAuditRecord, TerminalId, TerminalStorage } from "@nacre/contracts";
import { MemoryStore } from "../../packages/host/src/store/memory-store.ts";
import type {
  Anchor,
  AuditRemoval,
  EntryRow,
  Seal,
  SnapshotRow,
} from "../../packages/host/src/store/store.ts";

/** What the kernel says of a full disk and of a broken one, as the store passes it on. */
const FULL = 13;
const BROKEN = 10;

type Change = (store: MemoryStore) => void;

/** What was committed at once. */
interface Group {
  readonly changes: readonly Change[];
  isSynced: boolean;
}

/** Who is told what is committed, at the moment it is. */
export interface DiskListener {
  handleEntry(row: EntryRow): void;
  handleTerminal(row: TerminalStorage): void;
  handleDeleted(id: TerminalId): void;
  handleAudit(record: NewAuditRecord): void;
}

/** How the next commit fails: before anything is there, or after all of it is. */
type CommitFault = "before" | "after";

/** What to do with a commit: nothing, or let it fail. */
export type JudgeCommit = () => CommitFault | undefined;

/** What is on the disk now; each change is also written down, so that a power cut can take it back. */
class Image extends MemoryStore {
  readonly groups: Group[] = [];
  readonly #disk: FakeDisk;
  #changes: Change[] = [];
  #told: (() => void)[] = [];
  #entries: EntryRow[] = [];

  constructor(disk: FakeDisk) {
    super();
    this.#disk = disk;
  }

  override transaction<Result>(work: () => Result): Result {
    this.#changes = [];
    this.#told = [];
    this.#entries = [];
    const fault = this.#disk.isFull ? "before" : this.#disk.judgeCommit();
    const result = super.transaction(() => {
      const done = work();
      if (fault === "before") throw this.#disk.fail();
      return done;
    });
    this.#disk.keep(this.#addGroup(), this.#entries);
    for (const tell of this.#told) tell();
    if (fault === "after") throw this.#disk.fail();
    return result;
  }

  #addGroup(): Group {
    const group = { changes: this.#changes, isSynced: false };
    this.groups.push(group);
    return group;
  }

  /** Does again what another image has. */
  replay(groups: readonly Group[]): void {
    for (const group of groups) {
      super.transaction(() => {
        for (const change of group.changes) change(this);
      });
      this.groups.push(group);
    }
  }

  override insertTerminal(row: TerminalStorage): void {
    this.#note((store) => super.insertTerminal.call(store, row));
    this.#told.push(() => this.#disk.listener.handleTerminal(row));
  }

  override deleteTerminal(id: TerminalId): boolean {
    const isThere = this.hasTerminal(id);
    this.#note((store) => void super.deleteTerminal.call(store, id));
    if (isThere) this.#told.push(() => this.#disk.listener.handleDeleted(id));
    return isThere;
  }

  override insertEntry(row: EntryRow): void {
    // The bytes go back to whoever appended them.
    const own = { ...row, data: row.data && row.data.slice() };
    this.#note((store) => super.insertEntry.call(store, own));
    this.#entries.push(own);
    this.#told.push(() => this.#disk.listener.handleEntry(own));
  }

  override writeSeal(id: TerminalId, seal: Seal): void {
    this.#note((store) => super.writeSeal.call(store, id, seal));
  }

  override insertSnapshot(id: TerminalId, row: SnapshotRow): void {
    const own = { ...row, state: row.state.slice() };
    this.#note((store) => super.insertSnapshot.call(store, id, own));
  }

  override trim(id: TerminalId, anchor: Anchor): void {
    this.#note((store) => super.trim.call(store, id, anchor));
  }

  override insertAudit(record: NewAuditRecord): number {
    let sequence = 0;
    this.#note((store) => (sequence = super.insertAudit.call(store, record)));
    this.#told.push(() => this.#disk.listener.handleAudit(record));
    return sequence;
  }

  override deleteAudit(removal: AuditRemoval): number {
    let count = 0;
    this.#note((store) => (count = super.deleteAudit.call(store, removal)));
    return count;
  }

  override writeCommitToken(token: number): void {
    this.#note((store) => super.writeCommitToken.call(store, token));
  }

  /** The log is folded into the file, so that all of it is synced. */
  /** What the disk has free says all there is to say. */
  override readReusableBytes(): number {
    return 0;
  }

  override scrub(): void {
    for (const group of this.groups) group.isSynced = true;
  }

  #note(change: Change): void {
    change(this);
    this.#changes.push(change);
  }
}

const nameOf = (id: TerminalId, sequence: number): string => `${id} ${sequence}`;

/** The disk of the simulated machine. */
export class FakeDisk {
  readonly listener: DiskListener;
  readonly judgeCommit: JudgeCommit;
  /** Whether a commit is also synced: then a power cut costs nothing. */
  readonly syncs: boolean;
  isFull = false;
  /** Nothing can be opened any more. */
  isBroken = false;
  /** Entries that were committed and not synced, of a disk that syncs. */
  readonly #unsynced = new Set<string>();
  #image: Image;

  constructor(syncs: boolean, listener: DiskListener, judgeCommit: JudgeCommit) {
    this.syncs = syncs;
    this.listener = listener;
    this.judgeCommit = judgeCommit;
    this.#image = new Image(this);
  }

  /** What is there now, as readers see it. */
  get image(): MemoryStore {
    return this.#image;
  }

  get freeBytes(): number {
    return this.isFull ? 0 : Number.MAX_SAFE_INTEGER;
  }

  open(): MemoryStore {
    if (this.isBroken) throw this.fail();
    return this.#image;
  }

  fail(): Error {
    return Object.assign(new Error("the disk"), { errcode: this.isFull ? FULL : BROKEN });
  }

  /** When a disk that syncs does so; before anybody is told, unless a fault was planted. */
  syncLater: (sync: () => void) => void = (sync) => sync();

  /** Takes a group that was committed. */
  keep(group: Group, entries: readonly EntryRow[]): void {
    if (!this.syncs) return;
    for (const row of entries) this.#unsynced.add(nameOf(row.terminalId, row.sequence));
    this.syncLater(() => {
      group.isSynced = true;
      for (const row of entries) this.#unsynced.delete(nameOf(row.terminalId, row.sequence));
    });
  }

  /** Whether the disk has kept its promise for an entry that is there. */
  isDurable(id: TerminalId, sequence: number): boolean {
    return !this.#unsynced.has(nameOf(id, sequence));
  }

  /** The power is cut: of what was not synced a beginning is left, up to the first group that is missing or torn. Tells how many groups are gone. */
  cutPower(isLost: () => boolean): number {
    const { groups } = this.#image;
    const firstLost = groups.findIndex((group) => !group.isSynced && isLost());
    return firstLost < 0 ? 0 : this.forget(groups.length - firstLost);
  }

  /** The newest groups are gone, as of a recorder that said too early that they are there. */
  forget(count: number): number {
    const { groups } = this.#image;
    const kept = groups.slice(0, Math.max(0, groups.length - count));
    this.#image = new Image(this);
    this.#image.replay(kept);
    return groups.length - kept.length;
  }
}
