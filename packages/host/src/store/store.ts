// THE PORT of the database. It is synchronous on purpose: only threads of their own use it, never the main thread.
import {
  type AuditRecord,
  type EntryType,
  NacreError,
  type NewAuditRecord,
  type OwnerFilter,
  type TerminalId,
  type TerminalStorage,
} from "@nacre/contracts";

/** What is larger costs more to write and to read than it saves; later screens are then drawn from an older one. */
export const MAX_SNAPSHOT_BYTES = 4 * 1024 * 1024;

/** Refuses a snapshot that is too large to be kept. */
export function checkSnapshotLimit({ state }: SnapshotRow): void {
  if (state.byteLength <= MAX_SNAPSHOT_BYTES) return;
  throw new NacreError(
    "payload_too_large",
    `a snapshot has at most ${MAX_SNAPSHOT_BYTES} bytes, not ${state.byteLength}`,
    { field: "bytes" },
  );
}

/** One entry as it is kept: what all entries have as columns, the rest as JSON, the data as bytes. */
export interface EntryRow {
  readonly terminalId: TerminalId;
  readonly sequence: number;
  readonly type: EntryType;
  /** When it happened, Unix ms. */
  readonly at: number;
  readonly elapsedMs: number;
  /** Where output begins in all output of its terminal; nothing for other types. */
  readonly offset: number | null;
  /** The fields of its type without offset and data, as JSON; nothing when there are none. */
  readonly facts: string | null;
  readonly data: Uint8Array<ArrayBuffer> | null;
  /** Link of the chain of its recording. */
  readonly hash: Uint8Array;
}

/** Where a recording begins since its oldest entries were removed: the place of the last one removed. */
export interface Anchor {
  readonly sequence: number;
  readonly hash: Uint8Array;
  readonly cols: number;
  readonly rows: number;
  /** Over all of it and the row of the terminal. */
  readonly digest: Uint8Array;
}

/** What closes a recording: nothing follows, and its entries cannot be changed unnoticed. */
export interface Seal {
  readonly sequence: number;
  readonly digest: Uint8Array;
  /** Unix ms. */
  readonly sealedAt: number;
}

/** The end of a recording, to go on from. */
export interface RecordingHead {
  readonly sequence: number;
  readonly hash: Uint8Array;
  readonly at: number;
  readonly elapsedMs: number;
}

/** A screen that was written down, to draw later ones from it; it can be made anew from the entries. */
export interface SnapshotRow {
  /** The last entry that is in it. */
  readonly sequence: number;
  readonly cols: number;
  readonly rows: number;
  /** What whoever draws screens needs to go on from here; means nothing to the store. */
  readonly state: Uint8Array<ArrayBuffer>;
}

/** Which entries of one terminal to read. */
export interface EntryQuery {
  readonly terminalId: TerminalId;
  /** Only greater sequences. */
  readonly after?: number;
  /** Only smaller sequences; with it, the newest of them are read. */
  readonly before?: number;
  readonly types?: readonly EntryType[] | undefined;
  readonly limit: number;
  /** Stops once this much data was read, yet reads at least one entry. */
  readonly maxBytes: number;
}

/** How much is kept of one recording; `firstSequence` is one more than `lastSequence` when nothing is. */
export interface Extent {
  readonly firstSequence: number;
  readonly lastSequence: number;
}

/** How much room one recording takes, for retention. */
export interface Usage extends Extent {
  readonly terminalId: TerminalId;
  readonly dataBytes: number;
  /** Unix ms of its newest entry, or of the terminal's creation when it has none. */
  readonly lastAt: number;
  readonly sealed: boolean;
}

/** Which terminals to list. */
export interface TerminalPage {
  readonly after?: TerminalId;
  readonly limit: number;
  /** In the opposite order. */
  readonly newestFirst?: boolean;
  /** Only those of this owner; rows of others are not even looked at. */
  readonly owner?: OwnerFilter | undefined;
}

/** Which records of the audit to read. */
export interface AuditQuery {
  /** Only greater sequences. */
  readonly after: number;
  readonly limit: number;
}

/** Who caused a record: somebody known, or a stranger, who must not be able to push out what others did. */
export type AuditKind = "callers" | "strangers";

/** Which records of the audit go: the oldest of a kind. */
export interface AuditRemoval {
  readonly kind: AuditKind;
  readonly throughSequence: number;
  readonly limit: number;
}

/** What readers may ask; any number of readers beside one writer. */
export interface StoreReader extends Disposable {
  /** Also of a terminal whose row is damaged; where it is said when it was created, only of that one. */
  hasTerminal(id: TerminalId, createdAt?: string): boolean;
  /** Throws when the row is damaged. */
  readTerminal(id: TerminalId): TerminalStorage | undefined;
  /** In the order of their creation, after this one, at most `limit`; those with a damaged row are left out. */
  listTerminals(page: TerminalPage): TerminalStorage[];
  /** All of them, damaged or not. */
  listTerminalIds(page: Pick<TerminalPage, "after" | "limit">): TerminalId[];
  /** In order of sequence, each with its data; empty for a terminal that is not there. */
  readEntries(query: EntryQuery): EntryRow[];
  readExtent(id: TerminalId): Extent;
  readHead(id: TerminalId): RecordingHead | undefined;
  /** When an entry happened, Unix ms. */
  readTime(id: TerminalId, sequence: number): number | undefined;
  /** How long after the beginning of its recording an entry happened, in ms. */
  readElapsed(id: TerminalId, sequence: number): number | undefined;
  readAnchor(id: TerminalId): Anchor | undefined;
  readSeal(id: TerminalId): Seal | undefined;
  /** Terminals whose recording is not sealed, damaged or not, in the order of their creation. */
  listUnsealed(): TerminalId[];
  /** The newest snapshot at or before this sequence. */
  findSnapshot(id: TerminalId, atOrBefore: number): SnapshotRow | undefined;
  /** Of all terminals, in the order of their creation. */
  readUsage(): Usage[];
  /** The first entry that happened after this time, Unix ms. */
  findNewerThan(id: TerminalId, at: number): number | undefined;
  /** Looks through all files of the store for damage; what was found, in words. Takes as long as reading all of it. */
  findDamage(): string | undefined;
  /** The entry with which the data from the beginning reaches this many bytes. */
  findEndOfBytes(id: TerminalId, dataBytes: number): number | undefined;
  /** How much data the entries up to this one have. */
  readDataBytes(id: TerminalId, throughSequence: number): number;
  /** Oldest first; damaged ones are left out. */
  readAudit(query: AuditQuery): AuditRecord[];
  /** The newest record of a kind that has so many newer ones of its kind. */
  findAuditBehind(kind: AuditKind, newerCount: number): number | undefined;
}

/** What the one writer may do; every change happens inside a transaction. */
export interface Store extends StoreReader {
  readonly name: string;
  /** All of the work or nothing of it is kept; what the work throws is thrown on. */
  transaction<Result>(work: () => Result): Result;
  /** Refuses an id that is there with `already_exists`. */
  insertTerminal(row: TerminalStorage): void;
  /** Removes a terminal with its whole recording; tells whether it was there. */
  deleteTerminal(id: TerminalId): boolean;
  /** Refuses a sequence that is taken and a terminal that is not there. */
  insertEntry(row: EntryRow): void;
  writeSeal(id: TerminalId, seal: Seal): void;
  /** Takes the place of one of the same sequence; refuses more than MAX_SNAPSHOT_BYTES and a terminal that is not there. */
  insertSnapshot(id: TerminalId, row: SnapshotRow): void;
  /** Removes all entries up to the anchor's and keeps the anchor in their place; of the snapshots up to it, the newest stays. */
  trim(id: TerminalId, anchor: Anchor): void;
  /** Gives a record its place in the audit and keeps it; returns the place, which is never given again. */
  insertAudit(record: NewAuditRecord): number;
  /** Returns how many records that were. */
  deleteAudit(removal: AuditRemoval): number;
  /** Writes down which group of changes this transaction is; what was written last tells after a failure whether it is there. */
  writeCommitToken(token: number): void;
  readCommitToken(): number;
  /** Moves what was committed to where it stays, outside any transaction and without waiting for readers; where nothing has to be moved, nothing happens. */
  checkpointWal(): void;
  /** Makes what was removed unreadable in all files of the store, outside any transaction. */
  scrub(): void;
  /** How much can be written into room that removals left behind. */
  readReusableBytes(): number;
}

/** Which of the promises the disk has to keep: a killed process costs nothing, or a power cut neither. */
export type Durability = "process" | "power";
