import { type GapReason, NacreError, type TerminalId } from "@nacre/contracts";
import { type EntryWrite, type FailedWrite, toFailedWrite, type Write } from "./write.ts";

/** Output that was given up: it becomes a gap entry where it would have been. */
export interface GapWrite {
  readonly kind: "gap";
  readonly terminalId: TerminalId;
  readonly at: number;
  readonly elapsedMs: number;
  lostBytes: number;
  readonly reason: GapReason;
}

/** What a group is made of. */
export type GroupWrite = Write | GapWrite;

/** What waits for the disk must not fill the memory instead. */
export const MAX_DEFERRED_BYTES = 64 * 1024 * 1024;

/** What a write costs while it waits, beside its bytes; whoever bounds what waits counts it as well. */
export const WRITE_OVERHEAD_BYTES = 512;

/** The writes that wait while the store cannot be written: facts wait, output gives way to a gap that counts its bytes, and a new terminal is refused. */
export class DeferredWrites {
  readonly #maxBytes: number;
  readonly #fail: (failed: FailedWrite) => void;
  #writes: GroupWrite[] = [];
  /** The newest write of each terminal, to which a gap may be added. */
  readonly #newest = new Map<TerminalId, GroupWrite>();
  #bytes = 0;
  /** Output whose sender was told already that it is lost and has its bytes back, with their count. */
  readonly #lostBytes = new WeakMap<GroupWrite, number>();

  constructor(fail: (failed: FailedWrite) => void, maxBytes = MAX_DEFERRED_BYTES) {
    this.#fail = fail;
    this.#maxBytes = maxBytes;
  }

  /** Keeps a write for later, or a gap in its place. */
  add(write: GroupWrite, reason: GapReason): void {
    const isTooMuch = write.kind !== "gap" && this.#bytes + costOf(write) > this.#maxBytes;
    if (isLossy(write) || (isTooMuch && isOutput(write))) this.#addGap(write, reason);
    else if (write.kind === "snapshot") {
      this.#fail(toFailedWrite(write, blockedError("snapshots are not kept for later")));
    } else if (write.kind === "terminal") {
      // Nothing of it is there yet, and who creates it must not wait for the disk.
      this.#fail(toFailedWrite(write, refusedTerminal()));
    } else if (isTooMuch) {
      this.#fail(
        toFailedWrite(write, blockedError("too much waits for the recording to be written again")),
      );
    } else this.#keep(write);
  }

  /** Keeps writes that come before all that is held. */
  unshift(writes: readonly GroupWrite[], reason: GapReason): void {
    const later = this.#writes;
    this.#writes = [];
    this.#newest.clear();
    this.#bytes = 0;
    for (const write of writes) this.add(write, reason);
    for (const write of later) this.#keep(write);
  }

  /** Tells the senders of output that it is lost; it may become a gap later, or be found. Returns their tickets. */
  dropOutput(group: readonly GroupWrite[]): Set<number> {
    const lossy = group.filter(isLossy);
    for (const write of lossy) this.#rejectOutput(write);
    return new Set(lossy.map(({ ticket }) => ticket));
  }

  /** Takes up to so many writes, oldest first. */
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

  /** Gives up what waits for a terminal that is being removed. */
  drop(id: TerminalId): void {
    const gone = this.#writes.filter((write) => terminalOf(write) === id);
    this.#writes = this.#writes.filter((write) => terminalOf(write) !== id);
    this.#newest.delete(id);
    for (const write of gone) {
      this.#bytes -= costOf(write);
      if (write.kind !== "gap") this.#fail(toFailedWrite(write, blockedError(`${id} was removed`)));
    }
  }

  /** Tells all senders that nothing more will happen. */
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

  /** Tells the sender of output once that it is lost; returns how many bytes that are. */
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

/** What stands for output that cannot be recorded; nothing for anything else. */
export function toGap(write: GroupWrite, reason: GapReason): GapWrite | undefined {
  if (!isOutput(write)) return undefined;
  const { terminalId, at, elapsedMs, data } = write;
  return { kind: "gap", terminalId, at, elapsedMs, lostBytes: data?.byteLength ?? 0, reason };
}

/** Output of a terminal that would rather go on than wait. */
function isLossy(write: GroupWrite): write is EntryWrite {
  return isOutput(write) && !write.strict;
}

function isOutput(write: GroupWrite): write is EntryWrite {
  return write.kind === "entry" && write.type === "output";
}

/** The terminal that a write is part of; a record of the audit stays when the terminal goes that it tells of. */
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
