import type { TerminalId } from "@nacre/contracts";
import type { EntryRow } from "../store/store.ts";
import type { AuditWrite, Done, EntryWrite, Write } from "./write.ts";

/** What ends every recorder that tries to write it must not do so for ever; some end for other reasons. */
export const MAX_TRIES = 10;

/** A write whose sender waits for what becomes of it. */
export interface Waiting {
  readonly write: Write;
  /** How many recorders ended that were given it and could have written it. */
  tries: number;
  resolve(done: Done): void;
  reject(error: Error): void;
}

/** What becomes of the writes of a recorder that ended. */
export interface Remains {
  /** Handed over to the next one, in this order. */
  readonly again: readonly Waiting[];
  /** Nobody can tell whether these are there. */
  readonly lost: readonly Waiting[];
}

/** What gives its own sequences: a recording, or the audit. */
type Sequenced = TerminalId | "audit";

/** The writes that a recorder was given and did not settle; what must not be missing is kept until then, to be handed over again. */
export class HandedOver {
  /** By ticket, in the order in which they were handed over. */
  readonly #waiting = new Map<number, Waiting>();
  /** The newest entry of each open recording, and the newest record of the audit, that is known to be committed. */
  readonly #committed = new Map<Sequenced, number>();

  /** Takes note of writes; returns them as they are to be sent, which takes their bytes away unless they are kept. */
  add(batch: readonly Waiting[]): Write[] {
    return batch.map((waiting) => {
      const { write } = waiting;
      this.#waiting.set(write.ticket, waiting);
      return isKept(write) && "data" in write && write.data
        ? { ...write, data: write.data.slice() }
        : write;
    });
  }

  /** Says what is known to be committed of a recording that somebody else began. */
  resume(id: TerminalId, sequence: number): void {
    this.#noteSequence(id, sequence);
  }

  /** Says that a write is committed. */
  confirm(done: Done): void {
    const waiting = this.take(done.ticket);
    if (!waiting) return;
    const { write } = waiting;
    this.#note(write, done.count);
    waiting.resolve(isKept(write) && "data" in write ? { ...done, data: write.data } : done);
  }

  /** Takes note of an entry that nobody asked for. */
  noteGap({ terminalId, sequence }: EntryRow): void {
    if (this.#committed.has(terminalId)) this.#noteSequence(terminalId, sequence);
  }

  take(ticket: number): Waiting | undefined {
    const waiting = this.#waiting.get(ticket);
    this.#waiting.delete(ticket);
    return waiting;
  }

  /** Takes everything, because the recorder ended; one that could not write anything did not end because of it. */
  takeAll(couldWrite: boolean): Remains {
    const again: Waiting[] = [];
    const lost: Waiting[] = [];
    for (const waiting of this.#waiting.values()) {
      const { write } = waiting;
      if (couldWrite) waiting.tries++;
      const isOften = waiting.tries >= MAX_TRIES;
      if (isRepeatable(write) && !isOften) again.push(waiting);
      else if (!isKept(write) || isOften) lost.push(waiting);
      else {
        const mayBeBehind = this.#committed.get(sequencedOf(write));
        if (mayBeBehind === undefined) lost.push(waiting);
        else again.push({ ...waiting, write: { ...write, mayBeBehind } });
      }
    }
    this.#waiting.clear();
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

  #noteSequence(id: Sequenced, sequence: number): void {
    this.#committed.set(id, Math.max(sequence, this.#committed.get(id) ?? 0));
  }
}

/** What gives an entry, or a record of the audit, its sequence. */
const sequencedOf = (write: EntryWrite | AuditWrite): Sequenced =>
  write.kind === "audit" ? "audit" : write.terminalId;

/** What does no more when it is done twice. */
const isRepeatable = ({ kind }: Write): boolean => kind === "seal";

/** Whether it is handed over again: everything that is little, and output where nothing of it may be missing. */
const isKept = (write: Write): write is EntryWrite | AuditWrite =>
  write.kind === "audit" || (write.kind === "entry" && (write.strict || write.type !== "output"));

/** Whose output is among these. */
export function terminalsWithOutput(waiting: readonly Waiting[]): TerminalId[] {
  const ids = waiting.flatMap(({ write }) =>
    write.kind === "entry" && write.type === "output" ? write.terminalId : [],
  );
  return [...new Set(ids)];
}
