// What the main thread asks the recorder to write, and what the recorder reports; the words of the wire between them.
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

/** Names one write among those of a recorder. */
type Ticket = number;

/** An entry without its sequence and hash, which the recorder gives it. */
export interface EntryWrite extends FactColumns {
  readonly kind: "entry";
  readonly ticket: Ticket;
  readonly terminalId: TerminalId;
  readonly at: number;
  readonly elapsedMs: number;
  /** Waits for as long as it cannot be written, instead of being given up. */
  readonly strict: boolean;
  /** It is handed over again: if the recorder that ended had written it, it is behind this sequence. */
  readonly committedBefore?: number;
}

/** A record of the audit without its sequence, which the store gives it; it waits for as long as it cannot be written. */
export interface AuditWrite {
  readonly kind: "audit";
  readonly ticket: Ticket;
  readonly record: NewAuditRecord;
  /** It is handed over again: if the recorder that ended had written it, it is behind this sequence. */
  readonly committedBefore?: number;
}

/** The other changes, in one order with the entries. */
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
  /** Saves a screen; given up rather than kept for later, since the entries say the same. */
  | {
      readonly kind: "snapshot";
      readonly ticket: Ticket;
      readonly terminalId: TerminalId;
      readonly row: SnapshotRow;
    }
  | { readonly kind: "delete"; readonly ticket: Ticket; readonly terminalId: TerminalId }
  | { readonly kind: "trimAudit"; readonly ticket: Ticket; readonly removal: AuditRemoval }
  /** Makes what was removed unreadable in the files. */
  | { readonly kind: "scrub"; readonly ticket: Ticket };

export type Write = EntryWrite | NonEntryWrite;

/** Nothing of a recording comes behind it. */
export const endsRecording = (write: Write): boolean =>
  write.kind === "seal" || (write.kind === "entry" && write.type === "exit");

/** Whether recordings can be written now. */
export type RecorderState =
  | { readonly state: "ok" }
  | {
      readonly state: "degraded";
      readonly reason: Extract<GapReason, "diskFull" | "storeFailed">;
      readonly message: string;
      /** Unix ms. */
      readonly since: number;
    };

/** One write that is committed: the sequence of an entry or a record, or how many of them a removal removed. */
export interface CommittedWrite {
  readonly ticket: Ticket;
  readonly count: number;
  /** The time that an entry got, which never goes back in a recording. */
  readonly elapsedMs: number;
  /** The bytes of an entry, given back to who appended them. */
  readonly data: Uint8Array<ArrayBuffer> | null;
}

/** One write that is given up. */
export interface FailedWrite {
  readonly ticket: Ticket;
  readonly problem: ErrorJson;
  readonly data: Uint8Array<ArrayBuffer> | null;
}

/** What became of writes, all of it in one message: who is told of an entry is told of those before it, too. */
export interface WriteResults {
  readonly done: readonly CommittedWrite[];
  readonly failed: readonly FailedWrite[];
  /** Entries that nobody asked for, committed with the others. */
  readonly gaps: readonly EntryRow[];
}

/** How much room recordings have. */
export interface DiskSpace {
  /** Free on the disk, with what can be used again in the store. */
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

/** A write that is given up, with the reason and the bytes it brought. */
export function toFailedWrite(write: Write, error: NacreError): FailedWrite {
  const data = write.kind === "entry" ? write.data : null;
  return { ticket: write.ticket, problem: encodeError(error), data };
}
