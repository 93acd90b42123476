// The contract of snapshots, for every driver.
import { expect, test } from "vitest";
import { terminalId, terminalRow } from "../../testing/terminal-row.ts";
import { MAX_SNAPSHOT_BYTES, type SnapshotRow, type Store } from "../store.ts";

const A = terminalId("a");
const B = terminalId("b");

function snapshotRow(sequence: number, fields: Partial<SnapshotRow> = {}): SnapshotRow {
  const state = new Uint8Array([0, 0xff, sequence % 256]);
  return { sequence, cols: 80, rows: 24, state, ...fields };
}

export function snapshotCases(open: () => Store): void {
  const withSnapshots = (...sequences: readonly number[]): Store => {
    const store = open();
    store.transaction(() => {
      for (const uid of ["a", "b"]) store.insertTerminal(terminalRow(uid));
      for (const sequence of sequences) store.insertSnapshot(A, snapshotRow(sequence));
    });
    return store;
  };
  /** Newest first. */
  const found = (store: Store, id = A): number[] => {
    const sequences: number[] = [];
    for (let end = Number.MAX_SAFE_INTEGER; ; end = (sequences.at(-1) ?? 0) - 1) {
      const snapshot = store.findSnapshot(id, end);
      if (!snapshot) return sequences;
      sequences.push(snapshot.sequence);
    }
  };
  const anchorAt = (sequence: number) => ({
    sequence,
    hash: new Uint8Array(32),
    cols: 80,
    rows: 24,
    digest: new Uint8Array(32),
  });

  test("the newest snapshot at or before a sequence is found, byte by byte", () => {
    using store = withSnapshots(30, 10);
    store.transaction(() =>
      store.insertSnapshot(A, snapshotRow(20, { cols: 132, rows: 43, state: new Uint8Array(0) })),
    );
    expect(store.findSnapshot(A, 9)).toBeUndefined();
    expect(store.findSnapshot(A, 10)).toEqual(snapshotRow(10));
    expect(store.findSnapshot(A, 29)).toEqual({
      sequence: 20,
      cols: 132,
      rows: 43,
      state: new Uint8Array(0),
    });
    expect(store.findSnapshot(A, Number.MAX_SAFE_INTEGER)).toEqual(snapshotRow(30));
    expect(store.findSnapshot(B, 30)).toBeUndefined();
    expect(store.findSnapshot(terminalId("nobody"), 30)).toBeUndefined();
  });

  test("the bytes of a snapshot are the store's own, and those of a found one the reader's", () => {
    using store = withSnapshots();
    const row = snapshotRow(1);
    store.transaction(() => store.insertSnapshot(A, row));
    row.state.fill(9);
    store.findSnapshot(A, 1)?.state.fill(8);
    expect(store.findSnapshot(A, 1)).toEqual(snapshotRow(1));
  });

  test("a snapshot takes the place of one of the same sequence", () => {
    using store = withSnapshots(1, 2, 3);
    const again = snapshotRow(2, { cols: 100, state: new Uint8Array([7]) });
    store.transaction(() => store.insertSnapshot(A, again));
    expect(store.findSnapshot(A, 2)).toEqual(again);
    expect(found(store)).toEqual([3, 2, 1]);
  });

  test("a snapshot that is too large is refused, and so is one of a terminal that is not there", () => {
    using store = withSnapshots();
    const state = new Uint8Array(MAX_SNAPSHOT_BYTES);
    store.transaction(() => store.insertSnapshot(A, snapshotRow(1, { state })));
    expect(store.findSnapshot(A, 1)?.state).toHaveLength(MAX_SNAPSHOT_BYTES);
    const tooLarge = snapshotRow(2, { state: new Uint8Array(MAX_SNAPSHOT_BYTES + 1) });
    expect(() => store.transaction(() => store.insertSnapshot(A, tooLarge))).toThrow(
      expect.objectContaining({ code: "payload_too_large", field: "bytes" }),
    );
    const stranger = terminalId("nobody");
    expect(() => store.transaction(() => store.insertSnapshot(stranger, snapshotRow(1)))).toThrow(
      expect.objectContaining({ code: "terminal_not_found" }),
    );
    expect(found(store)).toEqual([1]);
  });

  test("a recording that loses its beginning keeps the newest snapshot of what is gone, and all after", () => {
    using store = withSnapshots(10, 20, 30, 40);
    store.transaction(() => store.insertSnapshot(B, snapshotRow(10)));
    store.transaction(() => store.trim(A, anchorAt(9)));
    expect(found(store)).toEqual([40, 30, 20, 10]);
    store.transaction(() => store.trim(A, anchorAt(20)));
    expect(found(store)).toEqual([40, 30, 20]);
    store.transaction(() => store.trim(A, anchorAt(39)));
    expect(found(store)).toEqual([40, 30]);
    store.transaction(() => store.trim(A, anchorAt(90)));
    expect(found(store)).toEqual([40]);
    expect(found(store, B)).toEqual([10]);
  });

  test("snapshots go with their terminal, and no other's", () => {
    using store = withSnapshots(1, 2);
    store.transaction(() => store.insertSnapshot(B, snapshotRow(5)));
    store.transaction(() => store.deleteTerminal(A));
    store.transaction(() => store.insertTerminal(terminalRow("a")));
    expect(found(store)).toEqual([]);
    expect(found(store, B)).toEqual([5]);
  });

  test("a transaction that fails leaves the snapshots as they were", () => {
    using store = withSnapshots(1, 2);
    expect(() =>
      store.transaction(() => {
        store.insertSnapshot(A, snapshotRow(3));
        store.insertSnapshot(A, snapshotRow(1, { cols: 99 }));
        store.trim(A, anchorAt(2));
        throw new Error("no");
      }),
    ).toThrow("no");
    expect(found(store)).toEqual([2, 1]);
    expect(store.findSnapshot(A, 1)).toEqual(snapshotRow(1));
  });
}
