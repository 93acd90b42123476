import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { terminalId } from "../testing/terminal-row.ts";
import {
  A,
  clear,
  DiskError,
  output,
  Rig,
  type WriteWithoutTicket,
} from "./testing/recorder-rig.ts";

beforeEach(() => vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] }));
afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

/** A snapshot of the first terminal. */
function snapshot(sequence: number, id = A): WriteWithoutTicket {
  const row = { sequence, cols: 80, rows: 24, state: new Uint8Array([sequence]) };
  return { kind: "snapshot", terminalId: id, row };
}

const saved = (rig: Rig): number | undefined => rig.store.findSnapshot(A, 1e9)?.sequence;

test("a snapshot is saved in one order with the entries, in a group of its own", () => {
  const rig = new Rig();
  const before = rig.store.transactions;
  const tickets = rig.push(output("a"), output("b"), snapshot(2), output("c"));
  expect(rig.done()).toEqual(tickets);
  expect(rig.store.transactions).toBe(before + 3);
  expect(rig.store.findSnapshot(A, 9)).toEqual({
    sequence: 2,
    cols: 80,
    rows: 24,
    state: new Uint8Array([2]),
  });
});

test("a sealed recording can have a snapshot", () => {
  const rig = new Rig();
  rig.push(output("a"), { kind: "seal", terminalId: A, at: 1 }, snapshot(1));
  expect(rig.failed()).toEqual([]);
  expect(saved(rig)).toBe(1);
});

test("a snapshot of what is not recorded fails alone", () => {
  const rig = new Rig();
  const [first, tooEarly, missing, last] = rig.push(
    output("a"),
    snapshot(2),
    snapshot(1, terminalId("nobody")),
    output("b"),
  );
  expect(rig.done()).toEqual([first, last]);
  expect(rig.failed()).toEqual([tooEarly, missing]);
  expect(rig.states()).toEqual([]);
  expect(saved(rig)).toBeUndefined();
});

describe("when a snapshot cannot be written", () => {
  const failing = (rig: Rig, errcode: number): void => {
    vi.spyOn(rig.store, "insertSnapshot").mockImplementation(() => {
      throw new DiskError(errcode);
    });
  };

  test("because the disk has no room for it, it is given up and no output is lost", () => {
    const rig = new Rig();
    failing(rig, 13);
    const [first, lost, last] = rig.push(output("a"), snapshot(1), output("b"));
    expect(rig.done()).toEqual([first, last]);
    expect(rig.failed()).toEqual([lost]);
    expect(rig.states()).toEqual([]);
    expect(rig.entries()).toEqual(["1 output a", "2 output b"]);
  });

  test("because the disk is almost full, it is given up and nobody is told that it is", () => {
    const rig = new Rig();
    rig.push(output("a"));
    rig.freeBytes = 999;
    vi.spyOn(performance, "now").mockReturnValue(performance.now() + 200);
    const [lost] = rig.push(snapshot(1));
    expect(rig.failed()).toEqual([lost]);
    expect(rig.states()).toEqual([]);
    rig.freeBytes = 1e9;
    const [kept] = rig.push(snapshot(1));
    expect(rig.done()).toContain(kept);
  });

  test("because the disk fails, it is given up, and the store is opened anew before it is trusted", () => {
    const rig = new Rig();
    failing(rig, 10);
    const [, lost, , waiting] = rig.push(output("a"), snapshot(1), output("four"), clear());
    expect(rig.failed()).toContain(lost);
    expect(rig.states()).toEqual(["degraded storeFailed"]);
    vi.advanceTimersByTime(1000);
    expect(rig.states()).toEqual(["degraded storeFailed", "ok"]);
    expect(rig.done()).toContain(waiting);
    expect(rig.entries()).toEqual([
      "1 output a",
      '2 gap {"lostBytes":4,"reason":"storeFailed"}',
      "3 clear",
    ]);
  });

  test("because nothing can be, it does not wait until something can", () => {
    const rig = new Rig();
    rig.push(output("a"));
    rig.faults.beforeCommit = true;
    rig.push(clear());
    const [lost] = rig.push(snapshot(1));
    expect(rig.failed()).toEqual([lost]);
    rig.faults.beforeCommit = false;
    vi.advanceTimersByTime(1000);
    expect(rig.entries()).toEqual(["1 output a", "2 clear"]);
    expect(saved(rig)).toBeUndefined();
  });
});
