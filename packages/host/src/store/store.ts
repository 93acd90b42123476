// The port of the database. Synchronous on purpose: only worker threads use it, never the main thread.
import {
  type AuditRecord,
  type EntryType,
  NacreError,
  type NewAuditRecord,
  type OwnerFilter,
  type TerminalId,
  type TerminalStorage,
} from "@nacre/contracts";

/** Larger snapshots cost more than they save; later screens then start from an older one. */
export const MAX_SNAPSHOT_BYTES = 4 * 1024 * 1024;

export function checkSnapshotLimit({ state }: SnapshotRow): void {
  if (state.byteLength <= MAX_SNAPSHOT_BYTES) return;
  throw new NacreError(
    "payload_too_large",
    `a snapshot has at most ${MAX_SNAPSHOT_BYTES} bytes, not ${state.byteLength}`,
    { field: "bytes" },
  );
}

/** An entry as stored: common fields as columns, the rest as JSON, the data as bytes. */
export interface EntryRow {
  readonly terminalId: TerminalId;
  readonly sequence: number;
  readonly type: EntryType;
  /** Unix ms. */
  readonly at: number;
  readonly elapsedMs: number;
  /** Offset of output in all output of the terminal; null for other types. */
  readonly offset: number | null;
  /** Further fields of its type as JSON; null when there are none. */
  readonly facts: string | null;
  readonly data: Uint8Array<ArrayBuffer> | null;
  /** Link of the recording's hash chain. */
  readonly hash: Uint8Array;
}

/** The last removed entry, where a recording begins since then. */
export interface Anchor {
  readonly sequence: number;
  readonly hash: Uint8Array;
  readonly cols: number;
  readonly rows: number;
  /** Covers the anchor and the terminal's row. */
  readonly digest: Uint8Array;
}

/** Closes a recording: nothing follows, and changes are detected. */
export interface Seal {
  readonly sequence: number;
  readonly digest: Uint8Array;
  /** Unix ms. */
  readonly sealedAt: number;
}

/** The end of a recording, to append after. */
export interface RecordingHead {
  readonly sequence: number;
  readonly hash: Uint8Array;
  readonly at: number;
  readonly elapsedMs: number;
}

/** A saved screen from which later ones are drawn; can be rebuilt from the entries. */
export interface SnapshotRow {
  /** The last entry that it includes. */
  readonly sequence: number;
  readonly cols: number;
  readonly rows: number;
  /** Opaque to the store. */
  readonly state: Uint8Array<ArrayBuffer>;
}

export interface EntryQuery {
  readonly terminalId: TerminalId;
  /** Exclusive. */
  readonly after?: number;
  /** Exclusive; reads the newest entries before it. */
  readonly before?: number;
  readonly types?: readonly EntryType[] | undefined;
  readonly limit: number;
  /** Stops after this much data, but reads at least one entry. */
  readonly maxBytes: number;
}

/** What is kept of one recording; when empty, `firstSequence` is `lastSequence` + 1. */
export interface Extent {
  readonly firstSequence: number;
  readonly lastSequence: number;
}

/** For retention. */
export interface Usage extends Extent {
  readonly terminalId: TerminalId;
  readonly dataBytes: number;
  /** Unix ms of the newest entry, or of the terminal's creation. */
  readonly lastAt: number;
  readonly sealed: boolean;
}

export interface TerminalPage {
  readonly after?: TerminalId;
  readonly limit: number;
  /** Default: oldest first. */
  readonly newestFirst?: boolean;
  /** Rows of other owners are not even read. */
  readonly owner?: OwnerFilter | undefined;
}

export interface AuditQuery {
  /** Exclusive. */
  readonly after: number;
  readonly limit: number;
}

/** Strangers are retained apart: they must not be able to push out what callers did. */
export type AuditKind = "callers" | "strangers";

/** Removes the oldest records of a kind. */
export interface AuditRemoval {
  readonly kind: AuditKind;
  readonly throughSequence: number;
  readonly limit: number;
}

/** Any number of readers beside one writer. */
export interface StoreReader extends Disposable {
  /** Also true for a damaged row; with `createdAt`, only for the terminal created then. */
  hasTerminal(id: TerminalId, createdAt?: string): boolean;
  /** Throws when the row is damaged. */
  readTerminal(id: TerminalId): TerminalStorage | undefined;
  /** In order of creation; damaged rows are left out. */
  listTerminals(page: TerminalPage): TerminalStorage[];
  /** Includes damaged rows. */
  listTerminalIds(page: Pick<TerminalPage, "after" | "limit">): TerminalId[];
  /** In order of sequence, with data; empty for an unknown terminal. */
  readEntries(query: EntryQuery): EntryRow[];
  readExtent(id: TerminalId): Extent;
  readHead(id: TerminalId): RecordingHead | undefined;
  /** Unix ms. */
  readTime(id: TerminalId, sequence: number): number | undefined;
  /** Ms since the beginning of the recording. */
  readElapsed(id: TerminalId, sequence: number): number | undefined;
  readAnchor(id: TerminalId): Anchor | undefined;
  readSeal(id: TerminalId): Seal | undefined;
  /** Unsealed recordings, damaged or not, in order of the terminals' creation. */
  listUnsealed(): TerminalId[];
  /** The newest snapshot at or before this sequence. */
  findSnapshot(id: TerminalId, atOrBefore: number): SnapshotRow | undefined;
  /** All terminals, in order of creation. */
  readUsage(): Usage[];
  /** The first entry after this time, Unix ms. */
  findNewerThan(id: TerminalId, at: number): number | undefined;
  /** Checks all files for damage (as slow as reading them); describes what was found. */
  findDamage(): string | undefined;
  /** The entry at which the data from the beginning reaches this many bytes. */
  findEndOfBytes(id: TerminalId, dataBytes: number): number | undefined;
  /** Data of all entries up to this one. */
  readDataBytes(id: TerminalId, throughSequence: number): number;
  /** Oldest first; skips damaged records. */
  readAudit(query: AuditQuery): AuditRecord[];
  /** The newest record that has at least so many newer ones of its kind. */
  findAuditBehind(kind: AuditKind, newerCount: number): number | undefined;
}

/** The one writer; every change happens inside a transaction. */
export interface Store extends StoreReader {
  readonly name: string;
  /** Commits all of the work or nothing; rethrows. */
  transaction<Result>(work: () => Result): Result;
  /** Throws `already_exists`. */
  insertTerminal(row: TerminalStorage): void;
  /** Removes a terminal with its recording; false when it did not exist. */
  deleteTerminal(id: TerminalId): boolean;
  /** Throws when the sequence is taken or the terminal does not exist. */
  insertEntry(row: EntryRow): void;
  writeSeal(id: TerminalId, seal: Seal): void;
  /** Replaces one of the same sequence; throws above MAX_SNAPSHOT_BYTES or when the terminal does not exist. */
  insertSnapshot(id: TerminalId, row: SnapshotRow): void;
  /** Removes all entries up to the anchor, which takes their place; of the snapshots up to it, the newest stays. */
  trim(id: TerminalId, anchor: Anchor): void;
  /** Returns the sequence, which is never reused. */
  insertAudit(record: NewAuditRecord): number;
  /** Returns how many were removed. */
  deleteAudit(removal: AuditRemoval): number;
  /** Identifies this transaction; after a failure, the last token tells whether it was committed. */
  writeCommitToken(token: number): void;
  readCommitToken(): number;
  /** Outside any transaction, without waiting for readers. */
  checkpointWal(): void;
  /** Makes removed data unreadable in all files; outside any transaction. */
  scrub(): void;
  /** Free pages that removals left behind. */
  readReusableBytes(): number;
}

/** Committed data survives a killed process, or also a power cut. */
export type Durability = "process" | "power";
