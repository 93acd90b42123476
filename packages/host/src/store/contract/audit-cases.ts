// The contract of the audit, for every driver.
import type { NewAuditRecord } from "@nacre/contracts";
import { expect, test } from "vitest";
import { auditRecord, recordAbout, strangerRecord } from "../../testing/audit-record.ts";
import { terminalId, terminalRow } from "../../testing/terminal-row.ts";
import type { Store } from "../store.ts";

const A = terminalId("a");

export function auditCases(open: () => Store): void {
  const withRecords = (...records: readonly NewAuditRecord[]): Store => {
    const store = open();
    store.transaction(() => records.forEach((record) => store.insertAudit(record)));
    return store;
  };
  const sequences = (store: Store): number[] =>
    store.readAudit({ after: 0, limit: 100 }).map(({ sequence }) => sequence);
  /** Every third is caused by a stranger. */
  const mixed = (count: number): NewAuditRecord[] =>
    Array.from({ length: count }, (_, n) =>
      (n + 1) % 3 === 0 ? strangerRecord(n + 1) : auditRecord(n + 1),
    );

  test("a record of the audit is read back as it was written, with its place", () => {
    using store = open();
    const full = auditRecord(1, {
      peer: "[::1]:8",
      terminalId: A,
      facts: { bytes: 3, isNew: true, deep: { a: [null, "✓"] } },
    });
    const places = store.transaction(() => [
      store.insertAudit(full),
      store.insertAudit(strangerRecord(2)),
    ]);
    expect(places).toEqual([1, 2]);
    expect(store.readAudit({ after: 0, limit: 9 })).toEqual([
      { sequence: 1, ...full },
      { sequence: 2, ...strangerRecord(2) },
    ]);
  });

  test("records come oldest first, page by page", () => {
    using store = withRecords(...mixed(7));
    const page = (after: number, limit: number): number[] =>
      store.readAudit({ after, limit }).map(({ sequence }) => sequence);
    expect([page(0, 3), page(3, 3), page(6, 3), page(7, 3)]).toEqual([
      [1, 2, 3],
      [4, 5, 6],
      [7],
      [],
    ]);
  });

  test("a record that was taken back is not there, and leaves no hole", () => {
    using store = withRecords(...mixed(3));
    expect(() =>
      store.transaction(() => {
        store.insertAudit(auditRecord(4));
        store.deleteAudit({ kind: "callers", throughSequence: 2, limit: 9 });
        store.insertAudit(auditRecord(5));
        throw new Error("no");
      }),
    ).toThrow("no");
    expect(sequences(store)).toEqual([1, 2, 3]);
    expect(store.transaction(() => store.insertAudit(auditRecord(6)))).toBe(4);
  });

  test("the oldest records of one kind go, and nobody gets their places", () => {
    using store = withRecords(...mixed(9));
    expect(store.findAuditBehind("strangers", 1)).toBe(6);
    expect(store.findAuditBehind("strangers", 3)).toBeUndefined();
    expect(store.findAuditBehind("callers", 2)).toBe(5);
    const remove = (kind: "callers" | "strangers", throughSequence: number, limit: number) =>
      store.transaction(() => store.deleteAudit({ kind, throughSequence, limit }));
    expect(remove("strangers", 6, 9)).toBe(2);
    expect(sequences(store)).toEqual([1, 2, 4, 5, 7, 8, 9]);
    expect([remove("callers", 8, 4), remove("callers", 8, 4)]).toEqual([4, 2]);
    expect(sequences(store)).toEqual([9]);
    expect(remove("strangers", 9, 9)).toBe(1);
    expect(store.transaction(() => store.insertAudit(auditRecord(10)))).toBe(10);
    expect(store.readAudit({ after: 3, limit: 9 })).toMatchObject([{ sequence: 10 }]);
  });

  test("what is read of the audit is the reader's own", () => {
    using store = open();
    const record = auditRecord(1);
    store.transaction(() => store.insertAudit(record));
    Object.assign(record.facts ?? {}, { number: 7 });
    Object.assign(store.readAudit({ after: 0, limit: 1 })[0]?.facts ?? {}, { number: 8 });
    expect(store.readAudit({ after: 0, limit: 1 })).toEqual([{ sequence: 1, ...auditRecord(1) }]);
  });

  test("a record stays when the terminal goes that it tells of", () => {
    using store = withRecords(recordAbout(A));
    store.transaction(() => store.insertTerminal(terminalRow("a")));
    store.transaction(() => store.deleteTerminal(A));
    store.scrub();
    expect(store.readAudit({ after: 0, limit: 9 })).toMatchObject([{ terminalId: A }]);
  });
}
