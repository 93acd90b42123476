import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { terminalId, terminalRow } from "../testing/terminal-row.ts";
import { A, B, clear, output, Rig } from "./testing/recorder-rig.ts";

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
    expect(rig.gaps()).toHaveLength(3);
    rig.push(output("after"));
    expect(rig.entries().at(-1)).toBe("6 output after");
  });

  test("P-A3: what waits, a removal among it, is written once the WAL began anew, though the disk stays as full", () => {
    const rig = new Rig();
    rig.push(output("one"));
    rig.faults.beforeCommit = true;
    const [, trim] = rig.push(clear(), { kind: "trim", terminalId: A, throughSequence: 1 });
    expect(rig.states()).toEqual(["degraded diskFull"]);
    rig.store.handleCheckpoint = () => void (rig.faults.beforeCommit = false);
    vi.advanceTimersByTime(1000);
    expect(rig.states()).toEqual(["degraded diskFull", "ok"]);
    expect(rig.done()).toContain(trim);
    expect(rig.entries()).toEqual(["2 clear"]);
  });

  test("a gap is told of together with the entries that were committed with it", () => {
    const rig = new Rig();
    rig.faults.beforeCommit = true;
    const [, exit] = rig.push(output("four"), clear());
    rig.faults.beforeCommit = false;
    rig.reports.length = 0;
    vi.advanceTimersByTime(1000);
    expect(rig.reports).toMatchObject([
      { kind: "settled", done: [{ ticket: exit, count: 2 }], gaps: [{ sequence: 1, type: "gap" }] },
      { kind: "state", state: { state: "ok" } },
    ]);
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

  test("P-A3: a terminal whose creation failed is refused, and not created after the recovery", () => {
    const rig = new Rig();
    rig.faults.beforeCommit = true;
    const [ticket] = rig.push({ kind: "terminal", row: terminalRow("c") });
    rig.faults.beforeCommit = false;
    vi.advanceTimersByTime(1000);
    expect(rig.failed()).toEqual([ticket]);
    expect(rig.store.readTerminal(terminalId("c"))).toBeUndefined();
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

describe("when the disk is full from the start", () => {
  test("that is told before anything is to be written, with each change, until there is room", () => {
    const rig = new Rig();
    rig.freeBytes = 999;
    rig.recorder.checkSpace();
    expect(rig.states()).toEqual(["degraded diskFull"]);
    rig.freeBytes = 0;
    vi.advanceTimersByTime(1000);
    rig.freeBytes = 1e9;
    vi.advanceTimersByTime(1000);
    expect(rig.states()).toEqual(["degraded diskFull", "ok"]);
    rig.push(output("one"));
    expect(rig.entries()).toEqual(["1 output one"]);
  });
});

describe("an entry that is handed over again", () => {
  test("is not written twice where it is there already, and has its place and its bytes", () => {
    const rig = new Rig();
    rig.push(output("one", { strict: true }), output("two", { strict: true }));
    const [again, next] = rig.push(
      output("two", { strict: true, committedBefore: 0 }),
      output("three", { strict: true, committedBefore: 0 }),
    );
    expect(rig.entries()).toEqual(["1 output one", "2 output two", "3 output three"]);
    const settled = rig.reports.flatMap((report) => (report.kind === "settled" ? report.done : []));
    expect(settled.slice(2)).toMatchObject([
      { ticket: again, count: 2, data: new Uint8Array(Buffer.from("two")) },
      { ticket: next, count: 3 },
    ]);
  });

  test("is written where only one of another time or place says the same", () => {
    const rig = new Rig();
    rig.push(output("one"), output("four", { at: 7 }), output("two", { offset: 9 }));
    rig.push(output("four", { committedBefore: 0 }), output("two", { committedBefore: 0 }));
    expect(rig.entries().slice(3)).toEqual(["4 output four", "5 output two"]);
  });

  test("is found wherever it is behind others that are not handed over again, each of the same once", () => {
    const rig = new Rig();
    rig.push(output("lost"), clear(), output("lost too"), clear());
    const again = { ...clear(), committedBefore: 0 };
    const tickets = rig.push(again, again, again, again);
    expect(rig.entries().length).toBe(6);
    const settled = rig.reports.flatMap((report) => (report.kind === "settled" ? report.done : []));
    const places = settled.filter(({ ticket }) => tickets.includes(ticket));
    expect(places.map(({ count }) => count)).toEqual([2, 4, 5, 6]);
  });

  test("is not taken for another that says the same, also when its group failed in between", () => {
    const rig = new Rig();
    rig.push(clear());
    const again = { ...clear(), committedBefore: 0 };
    rig.push(again);
    rig.faults.beforeCommit = true;
    const [twin] = rig.push(again);
    rig.faults.beforeCommit = false;
    vi.advanceTimersByTime(1000);
    expect(rig.done()).toContain(twin);
    expect(rig.entries()).toHaveLength(2);
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
