import { type GapReason, NacreError, type TerminalId } from "@nacre/contracts";
import { type EntryWrite, type FailedWrite, toFailedWrite, type Write } from "./write.ts";

/** Output that was given up: a gap entry takes its place. */
export interface GapWrite {
  readonly kind: "gap";
  readonly terminalId: TerminalId;
  readonly at: number;
  readonly elapsedMs: number;
  lostBytes: number;
  readonly reason: GapReason;
}

export type GroupWrite = Write | GapWrite;

/** Deferred writes must not fill the memory instead of the disk. */
export const MAX_DEFERRED_BYTES = 64 * 1024 * 1024;

/** Memory of a deferred write beside its bytes; other bounds count it, too. */
export const WRITE_OVERHEAD_BYTES = 512;

/**
 * Writes that wait while the store cannot be written: facts wait, output is replaced by a gap that counts its bytes,
 * and a new terminal is refused.
 */
export class DeferredWrites {
  readonly #maxBytes: number;
  readonly #fail: (failed: FailedWrite) => void;
  #writes: GroupWrite[] = [];
  /** The newest write per terminal, to which a gap may be merged. */
  readonly #newest = new Map<TerminalId, GroupWrite>();
  #bytes = 0;
  /** Bytes of output whose sender was already told that it is lost and has its buffer back. */
  readonly #lostBytes = new WeakMap<GroupWrite, number>();

  constructor(fail: (failed: FailedWrite) => void, maxBytes = MAX_DEFERRED_BYTES) {
    this.#fail = fail;
    this.#maxBytes = maxBytes;
  }

  /** Keeps a write, or a gap in its place. */
  add(write: GroupWrite, reason: GapReason): void {
    const isTooMuch = write.kind !== "gap" && this.#bytes + costOf(write) > this.#maxBytes;
    if (isLossy(write) || (isTooMuch && isOutput(write))) this.#addGap(write, reason);
    else if (write.kind === "snapshot") {
      this.#fail(toFailedWrite(write, blockedError("snapshots are not kept for later")));
    } else if (write.kind === "terminal") {
      // Nothing of it exists yet, and its creator must not wait for the disk.
      this.#fail(toFailedWrite(write, refusedTerminal()));
    } else if (isTooMuch) {
      this.#fail(
        toFailedWrite(write, blockedError("too much waits for the recording to be written again")),
      );
    } else this.#keep(write);
  }

  /** Keeps writes that precede everything deferred. */
  unshift(writes: readonly GroupWrite[], reason: GapReason): void {
    const later = this.#writes;
    this.#writes = [];
    this.#newest.clear();
    this.#bytes = 0;
    for (const write of writes) this.add(write, reason);
    for (const write of later) this.#keep(write);
  }

  /** Rejects the senders of output; it may become a gap later, or prove committed. Returns their tickets. */
  dropOutput(group: readonly GroupWrite[]): Set<number> {
    const lossy = group.filter(isLossy);
    for (const write of lossy) this.#rejectOutput(write);
    return new Set(lossy.map(({ ticket }) => ticket));
  }

  /** Oldest first. */
  take(count: number): GroupWrite[] {
    const taken = this.#writes.splice(0, count);
    for (const write of taken) {
      this.#bytes -= costOf(write);
      const terminalId = terminalOf(write);
      if (terminalId !== undefined && this.#newest.get(terminalId) === write) {
        this.#newest.delete(terminalId);
      }
    }
    return taken;
  }

  /** For a terminal that is being removed. */
  drop(id: TerminalId): void {
    const gone = this.#writes.filter((write) => terminalOf(write) === id);
    this.#writes = this.#writes.filter((write) => terminalOf(write) !== id);
    this.#newest.delete(id);
    for (const write of gone) {
      this.#bytes -= costOf(write);
      if (write.kind !== "gap") this.#fail(toFailedWrite(write, blockedError(`${id} was removed`)));
    }
  }

  rejectAll(): void {
    for (const write of this.take(this.#writes.length)) {
      if (write.kind !== "gap")
        this.#fail(toFailedWrite(write, blockedError("the recorder was closed")));
    }
  }

  #keep(write: GroupWrite): void {
    this.#writes.push(write);
    this.#bytes += costOf(write);
    const terminalId = terminalOf(write);
    if (terminalId !== undefined) this.#newest.set(terminalId, write);
  }

  #addGap(write: EntryWrite, reason: GapReason): void {
    const lostBytes = this.#rejectOutput(write);
    const newest = this.#newest.get(write.terminalId);
    if (newest?.kind === "gap") newest.lostBytes += lostBytes;
    else {
      const { terminalId, at, elapsedMs } = write;
      this.#keep({ kind: "gap", terminalId, at, elapsedMs, lostBytes, reason });
    }
  }

  /** Rejects the sender once; returns the number of bytes. */
  #rejectOutput(write: EntryWrite): number {
    const told = this.#lostBytes.get(write);
    if (told !== undefined) return told;
    const lostBytes = write.data?.byteLength ?? 0;
    this.#lostBytes.set(write, lostBytes);
    this.#fail(
      toFailedWrite(
        write,
        blockedError("the recording cannot be written; this output is counted as a gap"),
      ),
    );
    return lostBytes;
  }
}

/** Undefined for anything but output. */
export function toGap(write: GroupWrite, reason: GapReason): GapWrite | undefined {
  if (!isOutput(write)) return undefined;
  const { terminalId, at, elapsedMs, data } = write;
  return { kind: "gap", terminalId, at, elapsedMs, lostBytes: data?.byteLength ?? 0, reason };
}

/** Output of a terminal that is not `strict`. */
function isLossy(write: GroupWrite): write is EntryWrite {
  return isOutput(write) && !write.strict;
}

function isOutput(write: GroupWrite): write is EntryWrite {
  return write.kind === "entry" && write.type === "output";
}

/** An audit record outlives its terminal, so it belongs to none. */
function terminalOf(write: GroupWrite): TerminalId | undefined {
  switch (write.kind) {
    case "terminal":
      return write.row.id;
    case "entry":
    case "gap":
    case "seal":
    case "trim":
    case "snapshot":
    case "delete":
      return write.terminalId;
    case "audit":
    case "trimAudit":
    case "scrub":
      return undefined;
  }
}

function costOf(write: GroupWrite): number {
  const data = write.kind === "entry" ? (write.data?.byteLength ?? 0) : 0;
  const facts = write.kind === "audit" ? JSON.stringify(write.record).length : 0;
  return WRITE_OVERHEAD_BYTES + data + facts;
}

const blockedError = (message: string): NacreError => new NacreError("recording_blocked", message);

const refusedTerminal = (): NacreError =>
  new NacreError("recording_blocked", "nothing can be recorded now, so no terminal is created", {
    suggestion: "Make room on the disk, then try again.",
  });
