// A recorder over a store with injectable faults.
import type { TerminalId } from "@nacre/contracts";
import { MemoryStore } from "../../store/memory-store.ts";
import type { EntryRow, Store } from "../../store/store.ts";
import { terminalId, terminalRow } from "../../testing/terminal-row.ts";
import { Recorder } from "../recorder.ts";
import type { EntryWrite, RecorderReport, Write } from "../write.ts";

/** Exist from the beginning. */
export const A = terminalId("a");
export const B = terminalId("b");

/** Injected faults. */
export interface Faults {
  /** Throws before the commit. */
  beforeCommit: boolean;
  /** Throws after the commit. */
  afterCommit: boolean;
  open: boolean;
}

/** Like an SQLite error. */
export class DiskError extends Error {
  readonly errcode: number;
  constructor(errcode: number) {
    super(`disk error ${errcode}`);
    this.errcode = errcode;
  }
}

export class FaultyStore extends MemoryStore implements Store {
  readonly #faults: Faults;
  transactions = 0;
  constructor(faults: Faults) {
    super();
    this.#faults = faults;
  }
  scrubs = 0;
  override scrub(): void {
    this.scrubs++;
  }
  /** A restarted WAL has room. */
  handleCheckpoint: () => void = () => undefined;
  override checkpointWal(): void {
    this.handleCheckpoint();
  }
  override transaction<Result>(work: () => Result): Result {
    this.transactions++;
    const result = super.transaction(() => {
      const done = work();
      if (this.#faults.beforeCommit) throw new DiskError(13);
      return done;
    });
    if (this.#faults.afterCommit) throw new DiskError(1034);
    return result;
  }
}

export class Rig {
  readonly faults: Faults = { beforeCommit: false, afterCommit: false, open: false };
  readonly store = new FaultyStore(this.faults);
  readonly reports: RecorderReport[] = [];
  freeBytes = 1e9;
  readonly recorder: Recorder;
  #ticket = 0;

  constructor() {
    this.recorder = new Recorder({
      open: () => {
        if (this.faults.open) throw new DiskError(14);
        return this.store;
      },
      freeBytes: () => this.freeBytes,
      floorBytes: 1000,
      now: () => 42,
      report: (report) => this.reports.push(report),
    });
    this.push(
      { kind: "terminal", row: terminalRow("a") },
      { kind: "terminal", row: terminalRow("b") },
    );
    this.reports.length = 0;
  }

  push(...writes: WriteWithoutTicket[]): number[] {
    const tickets = writes.map(() => ++this.#ticket);
    this.recorder.push(writes.map((write, index) => ({ ...write, ticket: tickets[index] ?? 0 })));
    this.recorder.commit();
    return tickets;
  }

  states(): string[] {
    return this.reports.flatMap((report) =>
      report.kind === "state"
        ? report.state.state === "ok"
          ? "ok"
          : `degraded ${report.state.reason}`
        : [],
    );
  }

  done(): number[] {
    return this.reports.flatMap((report) =>
      report.kind === "settled" ? report.done.map(({ ticket }) => ticket) : [],
    );
  }

  failed(): number[] {
    return this.reports.flatMap((report) =>
      report.kind === "settled" ? report.failed.map(({ ticket }) => ticket) : [],
    );
  }

  gaps(): EntryRow[] {
    return this.reports.flatMap((report) => (report.kind === "settled" ? report.gaps : []));
  }

  entries(id: TerminalId = A): string[] {
    const rows = this.store.readEntries({ terminalId: id, limit: 1000, maxBytes: 1e9 });
    return rows.map(shown);
  }
}

export type WriteWithoutTicket = Write extends infer One
  ? One extends Write
    ? Omit<One, "ticket">
    : never
  : never;

function shown({ sequence, type, data, facts }: EntryRow): string {
  return [sequence, type, data ? Buffer.from(data).toString() : facts].filter(Boolean).join(" ");
}

export function output(text: string, fields: Partial<EntryWrite> = {}): WriteWithoutTicket {
  const data = new Uint8Array(Buffer.from(text));
  const place = { terminalId: A, at: 1000, elapsedMs: 5, offset: 0, facts: null, strict: false };
  return { kind: "entry", type: "output", ...place, data, ...fields };
}

export const clear = (): WriteWithoutTicket =>
  output("", { type: "clear", data: null, offset: null });
