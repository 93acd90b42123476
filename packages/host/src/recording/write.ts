// Messages between the main thread and the recorder.
import {
  encodeError,
  type ErrorJson,
  type GapReason,
  type NacreError,
  type NewAuditRecord,
  type TerminalId,
  type TerminalStorage,
} from "@nacre/contracts";
import type { AuditRemoval, EntryRow, SnapshotRow } from "../store/store.ts";
import type { FactColumns } from "./recorded-entry.ts";

type Ticket = number;

/** The recorder assigns sequence and hash. */
export interface EntryWrite extends FactColumns {
  readonly kind: "entry";
  readonly ticket: Ticket;
  readonly terminalId: TerminalId;
  readonly at: number;
  readonly elapsedMs: number;
  /** Waits until it can be written, instead of being given up. */
  readonly strict: boolean;
  /** Sent again: if the previous recorder committed it, it is after this sequence. */
  readonly committedBefore?: number;
}

/** The store assigns the sequence; always strict. */
export interface AuditWrite {
  readonly kind: "audit";
  readonly ticket: Ticket;
  readonly record: NewAuditRecord;
  /** Sent again: if the previous recorder committed it, it is after this sequence. */
  readonly committedBefore?: number;
}

/** Ordered with the entries. */
export type NonEntryWrite =
  | AuditWrite
  | { readonly kind: "terminal"; readonly ticket: Ticket; readonly row: TerminalStorage }
  | {
      readonly kind: "seal";
      readonly ticket: Ticket;
      readonly terminalId: TerminalId;
      readonly at: number;
    }
  | {
      readonly kind: "trim";
      readonly ticket: Ticket;
      readonly terminalId: TerminalId;
      readonly throughSequence: number;
    }
  /** Dropped rather than deferred: the entries yield the same screen. */
  | {
      readonly kind: "snapshot";
      readonly ticket: Ticket;
      readonly terminalId: TerminalId;
      readonly row: SnapshotRow;
    }
  | { readonly kind: "delete"; readonly ticket: Ticket; readonly terminalId: TerminalId }
  | { readonly kind: "trimAudit"; readonly ticket: Ticket; readonly removal: AuditRemoval }
  /** Makes removed data unreadable in the files. */
  | { readonly kind: "scrub"; readonly ticket: Ticket };

export type Write = EntryWrite | NonEntryWrite;

/** Nothing of a recording follows it. */
export const endsRecording = (write: Write): boolean =>
  write.kind === "seal" || (write.kind === "entry" && write.type === "exit");

export type RecorderState =
  | { readonly state: "ok" }
  | {
      readonly state: "degraded";
      readonly reason: Extract<GapReason, "diskFull" | "storeFailed">;
      readonly message: string;
      /** Unix ms. */
      readonly since: number;
    };

/** The sequence of an entry or record, or how many a removal removed. */
export interface CommittedWrite {
  readonly ticket: Ticket;
  readonly count: number;
  /** Never decreases within a recording. */
  readonly elapsedMs: number;
  /** Returned to whoever appended them. */
  readonly data: Uint8Array<ArrayBuffer> | null;
}

export interface FailedWrite {
  readonly ticket: Ticket;
  readonly problem: ErrorJson;
  readonly data: Uint8Array<ArrayBuffer> | null;
}

/** One message: whoever learns of an entry has learned of those before it. */
export interface WriteResults {
  readonly done: readonly CommittedWrite[];
  readonly failed: readonly FailedWrite[];
  /** Committed gap entries that nobody asked for. */
  readonly gaps: readonly EntryRow[];
}

export interface DiskSpace {
  /** Free on the disk plus reusable inside the store. */
  readonly freeBytes: number;
  /** What recordings leave free. */
  readonly reserveBytes: number;
}

/** Says what is missing, for people. */
export const describeShortage = ({ freeBytes, reserveBytes }: DiskSpace): string =>
  `the disk has ${mebibytes(freeBytes)} left, ${mebibytes(reserveBytes)} are kept in reserve`;

const mebibytes = (bytes: number): string => `${(bytes / 1024 ** 2).toFixed(1)} MiB`;

/** What the recorder says. */
export type RecorderReport =
  | ({ readonly kind: "settled" } & WriteResults)
  | { readonly kind: "state"; readonly state: RecorderState }
  | { readonly kind: "space"; readonly space: DiskSpace };

export function toFailedWrite(write: Write, error: NacreError): FailedWrite {
  const data = write.kind === "entry" ? write.data : null;
  return { ticket: write.ticket, problem: encodeError(error), data };
}
