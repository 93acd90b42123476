import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { auditRecord, recordAbout } from "../testing/audit-record.ts";
import { A, output, Rig } from "./testing/recorder-rig.ts";

beforeEach(() => vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] }));
afterEach(() => vi.useRealTimers());

const audit = (number: number, committedBefore?: number) => ({
  kind: "audit" as const,
  record: auditRecord(number),
  ...(committedBefore === undefined ? {} : { committedBefore }),
});

/** The numbers of the records that are there, in their order. */
const numbersIn = ({ store }: Rig): unknown[] =>
  store.readAudit({ after: 0, limit: 1000 }).map(({ facts }) => facts?.["number"]);

test("records are committed with what came together with them, and say their place", () => {
  const rig = new Rig();
  const before = rig.store.transactions;
  const [first, , second] = rig.push(audit(1), output("a"), audit(2));
  expect(rig.store.transactions).toBe(before + 1);
  expect(rig.reports).toMatchObject([
    { done: [{ ticket: first, count: 1 }, {}, { ticket: second, count: 2 }] },
  ]);
  expect(numbersIn(rig)).toEqual([1, 2]);
});

test("records wait while the store cannot be written, and are there in their order afterwards", () => {
  const rig = new Rig();
  rig.faults.beforeCommit = true;
  const [first] = rig.push(audit(1), output("lost"));
  const [second] = rig.push(audit(2));
  vi.advanceTimersByTime(1000);
  expect(rig.done()).toEqual([]);
  expect(rig.failed()).not.toContain(first);
  rig.faults.beforeCommit = false;
  vi.advanceTimersByTime(1000);
  expect(rig.done()).toEqual([first, second]);
  expect(numbersIn(rig)).toEqual([1, 2]);
});

test("a commit that failed and is there all the same has its records once", () => {
  const rig = new Rig();
  rig.faults.afterCommit = true;
  const tickets = rig.push(audit(1));
  rig.faults.afterCommit = false;
  vi.advanceTimersByTime(1000);
  expect(rig.done()).toEqual(tickets);
  expect(numbersIn(rig)).toEqual([1]);
});

test("a record that waits stays when the terminal is removed that it tells of", () => {
  const rig = new Rig();
  rig.faults.beforeCommit = true;
  const [ticket] = rig.push({ kind: "audit", record: recordAbout(A) });
  rig.faults.beforeCommit = false;
  rig.push({ kind: "delete", terminalId: A });
  vi.advanceTimersByTime(1000);
  expect(rig.done()).toContain(ticket);
  expect(rig.store.hasTerminal(A)).toBe(false);
  expect(rig.store.readAudit({ after: 0, limit: 9 })).toMatchObject([{ terminalId: A }]);
});

test("more records than may wait are refused, and the refusal is told", () => {
  const rig = new Rig();
  rig.faults.beforeCommit = true;
  const facts = { note: "x".repeat(2000) };
  const many = Array.from({ length: 30_000 }, (_, n) => ({
    kind: "audit" as const,
    record: auditRecord(n, { facts }),
  }));
  const tickets = rig.push(...many);
  expect(rig.failed().length).toBeGreaterThan(1000);
  rig.faults.beforeCommit = false;
  vi.advanceTimersByTime(1000);
  expect(rig.done().length + rig.failed().length).toBe(tickets.length);
  expect(rig.done().length).toBeGreaterThan(20_000);
});

test("a record that is handed over again is not written twice where it is there already", () => {
  const rig = new Rig();
  rig.push(audit(1), audit(2));
  const [again, next] = rig.push(audit(2, 0), audit(3, 0));
  expect(numbersIn(rig)).toEqual([1, 2, 3]);
  expect(rig.reports.at(-1)).toMatchObject({
    done: [
      { ticket: again, count: 2 },
      { ticket: next, count: 3 },
    ],
  });
  rig.push(audit(4, 0));
  expect(numbersIn(rig)).toEqual([1, 2, 3, 4]);
});
