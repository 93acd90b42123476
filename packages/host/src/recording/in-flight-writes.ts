import type { TerminalId } from "@nacre/contracts";
import { copyBytes, releaseBuffer } from "../base/buffer-pool.ts";
import type { EntryRow } from "../store/store.ts";
import type { AuditWrite, CommittedWrite, EntryWrite, Write } from "./write.ts";

/** What ends every recorder that tries to write it must not do so for ever; some end for other reasons. */
export const MAX_TRIES = 10;

/** A write whose sender waits for what becomes of it. */
export interface PendingWrite {
  readonly write: Write;
  /** How many recorders ended that were given it and could have written it. */
  tries: number;
  resolve(done: CommittedWrite): void;
  reject(error: Error): void;
}

/** What becomes of the writes of a recorder that ended. */
export interface ResendPlan {
  /** Handed over to the next one, in this order. */
  readonly again: readonly PendingWrite[];
  /** Nobody can tell whether these are there. */
  readonly lost: readonly PendingWrite[];
}

/** What gives its own sequences: a recording, or the audit. */
type SequenceOwner = TerminalId | "audit";

/** The writes that a recorder was given and did not settle; what must not be missing is kept until then, to be handed over again. */
export class InFlightWrites {
  /** By ticket, in the order in which they were handed over. */
  readonly #pending = new Map<number, PendingWrite>();
  /** The newest entry of each open recording, and the newest record of the audit, that is known to be committed. */
  readonly #committed = new Map<SequenceOwner, number>();

  /** Takes note of writes; returns them as they are to be sent, which takes their bytes away unless they are kept. */
  add(batch: readonly PendingWrite[]): Write[] {
    return batch.map((waiting) => {
      const { write } = waiting;
      this.#pending.set(write.ticket, waiting);
      return isRetained(write) && "data" in write && write.data
        ? { ...write, data: copyBytes(write.data) }
        : write;
    });
  }

  /** Says what is known to be committed of a recording that somebody else began. */
  resume(id: TerminalId, sequence: number): void {
    this.#noteSequence(id, sequence);
  }

  /** Says that a write is committed. */
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

  /** Takes note of an entry that nobody asked for. */
  noteGap({ terminalId, sequence }: EntryRow): void {
    if (this.#committed.has(terminalId)) this.#noteSequence(terminalId, sequence);
  }

  take(ticket: number): PendingWrite | undefined {
    const waiting = this.#pending.get(ticket);
    this.#pending.delete(ticket);
    return waiting;
  }

  /** Takes everything, because the recorder ended; one that could not write anything did not end because of it. */
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

/** What gives an entry, or a record of the audit, its sequence. */
const sequenceOwnerOf = (write: EntryWrite | AuditWrite): SequenceOwner =>
  write.kind === "audit" ? "audit" : write.terminalId;

/** What does no more when it is done twice. */
const isRepeatable = ({ kind }: Write): boolean => kind === "seal";

/** Whether it is handed over again: everything that is little, and output where nothing of it may be missing. */
const isRetained = (write: Write): write is EntryWrite | AuditWrite =>
  write.kind === "audit" || (write.kind === "entry" && (write.strict || write.type !== "output"));

/** Whose output is among these. */
export function terminalsWithOutput(waiting: readonly PendingWrite[]): TerminalId[] {
  const ids = waiting.flatMap(({ write }) =>
    write.kind === "entry" && write.type === "output" ? write.terminalId : [],
  );
  return [...new Set(ids)];
}
