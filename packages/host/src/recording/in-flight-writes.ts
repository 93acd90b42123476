import type { TerminalId } from "@nacre/contracts";
import { copyBytes, releaseBuffer } from "../base/buffer-pool.ts";
import type { EntryRow } from "../store/store.ts";
import type { AuditWrite, CommittedWrite, EntryWrite, Write } from "./write.ts";

/** A write that crashes every recorder must not do so for ever; some end for other reasons. */
export const MAX_TRIES = 10;

export interface PendingWrite {
  readonly write: Write;
  /** Recorders that ended while they may have been writing it. */
  tries: number;
  resolve(done: CommittedWrite): void;
  reject(error: Error): void;
}

export interface ResendPlan {
  /** Sent to the next recorder, in this order. */
  readonly again: readonly PendingWrite[];
  /** Whether these were committed is unknown. */
  readonly lost: readonly PendingWrite[];
}

/** Assigns sequences: a recording, or the audit. */
type SequenceOwner = TerminalId | "audit";

/** Writes sent to a recorder and not settled; those that must not get lost are retained to be sent again. */
export class InFlightWrites {
  /** By ticket, in sending order. */
  readonly #pending = new Map<number, PendingWrite>();
  /** The newest committed sequence of each open recording, and of the audit. */
  readonly #committed = new Map<SequenceOwner, number>();

  /** Returns the writes to send; their bytes are transferred unless retained. */
  add(batch: readonly PendingWrite[]): Write[] {
    return batch.map((waiting) => {
      const { write } = waiting;
      this.#pending.set(write.ticket, waiting);
      return isRetained(write) && "data" in write && write.data
        ? { ...write, data: copyBytes(write.data) }
        : write;
    });
  }

  /** The newest committed entry of a recording that another process began. */
  resume(id: TerminalId, sequence: number): void {
    this.#noteSequence(id, sequence);
  }

  confirm(done: CommittedWrite): void {
    const waiting = this.take(done.ticket);
    if (!waiting) return;
    const { write } = waiting;
    this.#note(write, done.count);
    if (!isRetained(write) || !("data" in write)) return waiting.resolve(done);
    // The copy came back; the next one is made in it.
    if (done.data && done.data !== write.data) releaseBuffer(done.data);
    waiting.resolve({ ...done, data: write.data });
  }

  /** A gap entry that nobody asked for. */
  noteGap({ terminalId, sequence }: EntryRow): void {
    if (this.#committed.has(terminalId)) this.#noteSequence(terminalId, sequence);
  }

  take(ticket: number): PendingWrite | undefined {
    const waiting = this.#pending.get(ticket);
    this.#pending.delete(ticket);
    return waiting;
  }

  /** The recorder ended; one that could not write anything did not end because of these writes. */
  takeAll(couldWrite: boolean): ResendPlan {
    const again: PendingWrite[] = [];
    const lost: PendingWrite[] = [];
    for (const waiting of this.#pending.values()) {
      const { write } = waiting;
      if (couldWrite) waiting.tries++;
      const isOften = waiting.tries >= MAX_TRIES;
      if (isRepeatable(write) && !isOften) again.push(waiting);
      else if (!isRetained(write) || isOften) lost.push(waiting);
      else {
        const committedBefore = this.#committed.get(sequenceOwnerOf(write));
        if (committedBefore === undefined) lost.push(waiting);
        else again.push({ ...waiting, write: { ...write, committedBefore } });
      }
    }
    this.#pending.clear();
    return { again, lost };
  }

  #note(write: Write, count: number): void {
    switch (write.kind) {
      case "terminal":
        this.#committed.set(write.row.id, 0);
        return;
      case "entry":
        this.#noteSequence(write.terminalId, count);
        return;
      case "seal":
      case "delete":
        this.#committed.delete(write.terminalId);
        return;
      case "audit":
        this.#noteSequence("audit", count);
        return;
      case "trim":
      case "trimAudit":
      case "snapshot":
      case "scrub":
    }
  }

  #noteSequence(id: SequenceOwner, sequence: number): void {
    this.#committed.set(id, Math.max(sequence, this.#committed.get(id) ?? 0));
  }
}

const sequenceOwnerOf = (write: EntryWrite | AuditWrite): SequenceOwner =>
  write.kind === "audit" ? "audit" : write.terminalId;

/** Idempotent. */
const isRepeatable = ({ kind }: Write): boolean => kind === "seal";

/** Retained for another attempt: everything small, and output of `strict` recordings. */
const isRetained = (write: Write): write is EntryWrite | AuditWrite =>
  write.kind === "audit" || (write.kind === "entry" && (write.strict || write.type !== "output"));

export function terminalsWithOutput(waiting: readonly PendingWrite[]): TerminalId[] {
  const ids = waiting.flatMap(({ write }) =>
    write.kind === "entry" && write.type === "output" ? write.terminalId : [],
  );
  return [...new Set(ids)];
}
