import type { TerminalId } from "@nacre/contracts";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { MemoryStore } from "../store/memory-store.ts";
import type { EntryRow, Store } from "../store/store.ts";
import { terminalId, terminalRow } from "../testing/terminal-row.ts";
import { Recorder } from "./recorder.ts";
import type { EntryWrite, Report, Write } from "./write.ts";

const A = terminalId("a");
const B = terminalId("b");

/** What goes wrong with the store, and when. */
interface Faults {
  /** The transaction throws before it is kept. */
  beforeCommit: boolean;
  /** The transaction is kept, and throws nevertheless. */
  afterCommit: boolean;
  open: boolean;
}

class DiskError extends Error {
  readonly errcode: number;
  constructor(errcode: number) {
    super(`disk error ${errcode}`);
    this.errcode = errcode;
  }
}

class FaultyStore extends MemoryStore implements Store {
  readonly #faults: Faults;
  transactions = 0;
  constructor(faults: Faults) {
    super();
    this.#faults = faults;
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

/** A recorder over a store that can be made to fail, and all it reported. */
class Rig {
  readonly faults: Faults = { beforeCommit: false, afterCommit: false, open: false };
  readonly store = new FaultyStore(this.faults);
  readonly reports: Report[] = [];
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

  entries(id: TerminalId = A): string[] {
    const rows = this.store.readEntries({ terminalId: id, limit: 1000, maxBytes: 1e9 });
    return rows.map(shown);
  }
}

type WriteWithoutTicket = Write extends infer One
  ? One extends Write
    ? Omit<One, "ticket">
    : never
  : never;

function shown({ sequence, type, data, facts }: EntryRow): string {
  return [sequence, type, data ? Buffer.from(data).toString() : facts].filter(Boolean).join(" ");
}

function output(text: string, fields: Partial<EntryWrite> = {}): WriteWithoutTicket {
  const data = new Uint8Array(Buffer.from(text));
  const place = { terminalId: A, at: 1000, elapsedMs: 5, offset: 0, facts: null, strict: false };
  return { kind: "entry", type: "output", ...place, data, ...fields };
}

const clear = (): WriteWithoutTicket => output("", { type: "clear", data: null, offset: null });

beforeEach(() => vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] }));
afterEach(() => vi.useRealTimers());

test("writes that come together are committed together", () => {
  const rig = new Rig();
  const before = rig.store.transactions;
  const tickets = rig.push(output("a"), output("b", { terminalId: B }), output("c"));
  expect(rig.store.transactions).toBe(before + 1);
  expect(rig.reports).toHaveLength(1);
  expect(rig.done()).toEqual(tickets);
  expect(rig.entries()).toEqual(["1 output a", "2 output c"]);
  expect(rig.entries(B)).toEqual(["1 output b"]);
});

test("a write that makes no sense fails alone", () => {
  const rig = new Rig();
  const [first, missing, taken, last] = rig.push(
    output("a"),
    output("x", { terminalId: terminalId("nobody") }),
    { kind: "terminal", row: terminalRow("b") },
    output("b"),
  );
  expect(rig.done()).toEqual([first, last]);
  expect(rig.failed()).toEqual([missing, taken]);
  expect(rig.entries()).toEqual(["1 output a", "2 output b"]);
  expect(rig.states()).toEqual([]);
});

test("time inside a recording never goes back", () => {
  const rig = new Rig();
  rig.push(output("a", { elapsedMs: 50 }), output("b", { elapsedMs: 20 }));
  const rows = rig.store.readEntries({ terminalId: A, limit: 9, maxBytes: 99 });
  expect(rows.map(({ elapsedMs }) => elapsedMs)).toEqual([50, 50]);
});

describe("when a write fails", () => {
  test("output is given up and counted, facts wait, and all of it is there after the recovery", () => {
    const rig = new Rig();
    rig.push(output("one"));
    rig.faults.beforeCommit = true;
    const [lost] = rig.push(output("four"), clear());
    expect(rig.states()).toEqual(["degraded diskFull"]);
    expect(rig.failed()).toEqual([lost]);
    const [, waiting] = rig.push(output("sixsix"), clear(), output("B", { terminalId: B }));
    vi.advanceTimersByTime(1000);
    expect(rig.states()).toEqual(["degraded diskFull"]);
    expect(rig.done()).not.toContain(waiting);
    rig.faults.beforeCommit = false;
    vi.advanceTimersByTime(1000);
    expect(rig.states()).toEqual(["degraded diskFull", "ok"]);
    expect(rig.done()).toContain(waiting);
    expect(rig.entries()).toEqual([
      "1 output one",
      '2 gap {"lostBytes":4,"reason":"diskFull"}',
      "3 clear",
      '4 gap {"lostBytes":6,"reason":"diskFull"}',
      "5 clear",
    ]);
    expect(rig.entries(B)).toEqual(['1 gap {"lostBytes":1,"reason":"diskFull"}']);
    const gaps = rig.reports.filter(({ kind }) => kind === "gap");
    expect(gaps).toHaveLength(3);
    rig.push(output("after"));
    expect(rig.entries().at(-1)).toBe("6 output after");
  });

  test("a strict recording waits and loses nothing", () => {
    const rig = new Rig();
    rig.faults.beforeCommit = true;
    const tickets = rig.push(output("a", { strict: true }), output("b", { strict: true }));
    expect([...rig.done(), ...rig.failed()]).toEqual([]);
    rig.faults.beforeCommit = false;
    vi.advanceTimersByTime(1000);
    expect(rig.done()).toEqual(tickets);
    expect(rig.entries()).toEqual(["1 output a", "2 output b"]);
  });

  test("a commit that failed and is there all the same is not written twice", () => {
    const rig = new Rig();
    rig.faults.afterCommit = true;
    const tickets = rig.push(output("a"), clear());
    expect(rig.states()).toEqual(["degraded storeFailed"]);
    expect(rig.done()).toEqual(tickets);
    rig.faults.afterCommit = false;
    vi.advanceTimersByTime(1000);
    expect(rig.states()).toEqual(["degraded storeFailed", "ok"]);
    expect(rig.entries()).toEqual(["1 output a", "2 clear"]);
  });

  test("nobody waits for a store that cannot be opened, and what is found in it later is no gap", () => {
    const rig = new Rig();
    rig.faults.afterCommit = true;
    rig.faults.open = true;
    const [given] = rig.push(output("a"), clear());
    expect(rig.failed()).toEqual([given]);
    vi.advanceTimersByTime(1000);
    rig.faults.afterCommit = false;
    rig.faults.open = false;
    vi.advanceTimersByTime(1000);
    expect(rig.entries()).toEqual(["1 output a", "2 clear"]);
    expect(rig.states()).toEqual(["degraded storeFailed", "ok"]);
  });

  test("what was given up while the store could not be opened, and is not in it, is a gap", () => {
    const rig = new Rig();
    rig.faults.beforeCommit = true;
    rig.faults.open = true;
    rig.push(output("four"), output("five5"));
    rig.faults.beforeCommit = false;
    rig.faults.open = false;
    vi.advanceTimersByTime(1000);
    expect(rig.entries()).toEqual(['1 gap {"lostBytes":9,"reason":"diskFull"}']);
  });

  test("a terminal whose creation failed is created after the recovery", () => {
    const rig = new Rig();
    rig.faults.beforeCommit = true;
    const [ticket] = rig.push({ kind: "terminal", row: terminalRow("c") });
    rig.faults.beforeCommit = false;
    vi.advanceTimersByTime(1000);
    expect(rig.done()).toEqual([ticket]);
    expect(rig.store.readTerminal(terminalId("c"))).toBeDefined();
  });
});

describe("when the disk is almost full", () => {
  test("nothing is written into the reserve, except what makes room", () => {
    const rig = new Rig();
    rig.push(output("one"));
    rig.freeBytes = 999;
    vi.advanceTimersByTime(0);
    rig.recorder.push([]);
    const later = performance.now() + 200;
    vi.spyOn(performance, "now").mockReturnValue(later);
    const [lost] = rig.push(output("lost"));
    expect(rig.failed()).toEqual([lost]);
    expect(rig.states()).toEqual(["degraded diskFull"]);
    const [removal] = rig.push({ kind: "delete", terminalId: B });
    expect(rig.done()).toContain(removal);
    rig.freeBytes = 1e9;
    vi.advanceTimersByTime(1000);
    expect(rig.states()).toEqual(["degraded diskFull", "ok"]);
    expect(rig.entries()).toEqual(["1 output one", '2 gap {"lostBytes":4,"reason":"diskFull"}']);
    vi.restoreAllMocks();
  });
});

test("closing writes what can be written and tells the rest", () => {
  const rig = new Rig();
  rig.faults.beforeCommit = true;
  const [held] = rig.push(clear());
  rig.recorder[Symbol.dispose]();
  expect(rig.failed()).toEqual([held]);
  const other = new Rig();
  other.recorder.push([{ ...clear(), ticket: 99 }]);
  other.recorder[Symbol.dispose]();
  expect(other.done()).toEqual([99]);
});
