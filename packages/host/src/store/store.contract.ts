import { describe, expect, test } from "vitest";
import { terminalId, terminalRow } from "../testing/terminal-row.ts";
import { auditCases } from "./contract/audit-cases.ts";
import { snapshotCases } from "./contract/snapshot-cases.ts";
import type { EntryRow, Store, TerminalPage } from "./store.ts";

const A = terminalId("a");
const B = terminalId("b");
const ALL = { limit: 1000, maxBytes: 1024 * 1024 };

/** The hash identifies the row. */
export function entryRow(sequence: number, fields: Partial<EntryRow> = {}): EntryRow {
  return {
    terminalId: A,
    sequence,
    type: "output",
    at: 1000 + sequence,
    elapsedMs: sequence,
    offset: (sequence - 1) * 4,
    facts: null,
    data: new Uint8Array([0, 0xff, sequence % 256, 0x0a]),
    hash: new Uint8Array(32).fill(sequence % 256),
    ...fields,
  };
}

export function storeContract(name: string, open: () => Store): void {
  const withTerminal = (): Store => {
    const store = open();
    store.transaction(() => store.insertTerminal(terminalRow("a")));
    return store;
  };
  const fill = (store: Store, count: number, fields: Partial<EntryRow> = {}): void =>
    store.transaction(() => {
      for (let n = 1; n <= count; n++) store.insertEntry(entryRow(n, fields));
    });
  const sequences = (rows: readonly EntryRow[]): number[] => rows.map(({ sequence }) => sequence);

  describe(`${name} keeps the contract of a Store`, () => {
    test("a terminal is read back as it was written", () => {
      using store = open();
      const full = terminalRow("full", {
        owner: { entityName: "Task", entityId: "7", attributes: { deep: [1, { a: null }] } },
        name: "build ✓",
        command: "sh",
        args: ["-c", "sleep 9", ""],
      });
      store.transaction(() => store.insertTerminal(full));
      store.transaction(() => store.insertTerminal(terminalRow("a")));
      expect(store.readTerminal(full.id)).toEqual(full);
      expect(store.readTerminal(A)).toEqual(terminalRow("a"));
      expect(store.readTerminal(B)).toBeUndefined();
    });

    test("an id is given once", () => {
      using store = withTerminal();
      const again = terminalRow("a", { workingDirectory: "/other" });
      expect(() => store.transaction(() => store.insertTerminal(again))).toThrow(
        expect.objectContaining({ code: "already_exists" }),
      );
      expect(store.readTerminal(A)?.workingDirectory).toBe("/tmp");
    });

    test("terminals are listed in the order of their creation, page by page", () => {
      using store = open();
      for (const uid of ["c", "a", "b"]) {
        store.transaction(() => store.insertTerminal(terminalRow(uid)));
      }
      const first = store.listTerminals({ limit: 2 });
      expect(first.map(({ id }) => id)).toEqual([terminalId("c"), A]);
      expect(store.listTerminals({ after: A, limit: 2 }).map(({ id }) => id)).toEqual([B]);
      const backwards = store.listTerminals({ limit: 9, newestFirst: true });
      expect(backwards).toEqual(store.listTerminals({ limit: 9 }).toReversed());
      const before = store.listTerminals({ after: B, limit: 9, newestFirst: true });
      expect(before.map(({ id }) => id)).toEqual([A, terminalId("c")]);
    });

    test("R-7: terminals of one owner are listed without those of others", () => {
      using store = open();
      const row = (uid: string, entityId: string) => ({
        ...terminalRow(uid),
        owner: { entityName: "Agent", entityId },
      });
      const rows = [row("a", "x"), row("b", "y"), row("c", "x"), row("d", "y"), row("e", "x")];
      for (const one of rows) store.transaction(() => store.insertTerminal(one));
      const uidsOf = (page: Partial<TerminalPage>) =>
        store.listTerminals({ limit: 9, ...page }).map(({ id }) => id.slice("terminal:".length));
      const owner = { entityName: "Agent", entityId: "x" };
      expect(uidsOf({ owner })).toEqual(["a", "c", "e"]);
      expect(uidsOf({ owner, newestFirst: true, limit: 2 })).toEqual(["e", "c"]);
      expect(uidsOf({ owner, after: A })).toEqual(["c", "e"]);
      expect(uidsOf({ owner, after: B })).toEqual(["c", "e"]);
      expect(uidsOf({ owner: { ...owner, entityId: "nobody" } })).toEqual([]);
      expect(uidsOf({ owner: { entityName: "Agent" } })).toEqual(["a", "b", "c", "d", "e"]);
      expect(uidsOf({ owner: { entityName: "Mission" } })).toEqual([]);
    });

    test("R-3: a terminal is told apart from another one that had its id before", () => {
      using store = withTerminal();
      const { createdAt } = terminalRow("a");
      expect(store.hasTerminal(A, createdAt)).toBe(true);
      expect(store.hasTerminal(A, "2001-01-01T00:00:00.000Z")).toBe(false);
      store.transaction(() => store.deleteTerminal(A));
      expect(store.hasTerminal(A, createdAt)).toBe(false);
    });

    test("entries are read back byte by byte, in order", () => {
      using store = withTerminal();
      const rows = [
        entryRow(1, { type: "header", offset: null, data: null, facts: '{"cols":80,"rows":24}' }),
        entryRow(2),
        entryRow(3, { data: new Uint8Array(0) }),
      ];
      store.transaction(() => rows.forEach((row) => store.insertEntry(row)));
      expect(store.readEntries({ terminalId: A, ...ALL })).toEqual(rows);
    });

    test("what is read back is the reader's own", () => {
      using store = withTerminal();
      const row = entryRow(1);
      store.transaction(() => store.insertEntry(row));
      row.data?.fill(9);
      store.readEntries({ terminalId: A, ...ALL })[0]?.data?.fill(8);
      expect(store.readEntries({ terminalId: A, ...ALL })).toEqual([entryRow(1)]);
    });

    test("a sequence is taken once, and only by a terminal that is there", () => {
      using store = withTerminal();
      fill(store, 2);
      expect(() => store.transaction(() => store.insertEntry(entryRow(2)))).toThrow(/entry/);
      expect(() =>
        store.transaction(() => store.insertEntry(entryRow(1, { terminalId: B }))),
      ).toThrow(expect.objectContaining({ code: "terminal_not_found" }));
      expect(sequences(store.readEntries({ terminalId: A, ...ALL }))).toEqual([1, 2]);
    });

    test("a transaction that fails leaves nothing behind", () => {
      using store = withTerminal();
      fill(store, 3);
      const anchor = {
        sequence: 2,
        hash: new Uint8Array(32),
        cols: 80,
        rows: 24,
        digest: new Uint8Array(32),
      };
      const seal = { sequence: 3, digest: new Uint8Array(32), sealedAt: 1 };
      expect(() =>
        store.transaction(() => {
          store.insertTerminal(terminalRow("b"));
          store.insertEntry(entryRow(4));
          store.trim(A, anchor);
          store.writeSeal(A, seal);
          store.deleteTerminal(A);
          throw new Error("no");
        }),
      ).toThrow("no");
      expect(store.readTerminal(B)).toBeUndefined();
      expect(sequences(store.readEntries({ terminalId: A, ...ALL }))).toEqual([1, 2, 3]);
      expect(store.readAnchor(A)).toBeUndefined();
      expect(store.readSeal(A)).toBeUndefined();
      store.transaction(() => store.insertEntry(entryRow(4)));
      expect(store.readHead(A)?.sequence).toBe(4);
    });

    test("entries are found by position, type, count and size", () => {
      using store = withTerminal();
      store.transaction(() => {
        for (let n = 1; n <= 10; n++)
          store.insertEntry(entryRow(n, n % 3 ? {} : { type: "input" }));
      });
      const read = (query: object): number[] =>
        sequences(store.readEntries({ terminalId: A, ...ALL, ...query }));
      expect(read({ after: 7 })).toEqual([8, 9, 10]);
      expect(read({ after: 2, limit: 2 })).toEqual([3, 4]);
      expect(read({ types: ["input"] })).toEqual([3, 6, 9]);
      expect(read({ types: ["input", "output"], after: 8 })).toEqual([9, 10]);
      expect(read({ types: ["exit"] })).toEqual([]);
      expect(read({ before: 6, limit: 2 })).toEqual([4, 5]);
      expect(read({ before: 10, types: ["input"], limit: 1 })).toEqual([6 + 3]);
      expect(read({ maxBytes: 11 })).toEqual([1, 2]);
      expect(read({ maxBytes: 1 })).toEqual([1]);
      expect(read({ before: 11, maxBytes: 11 })).toEqual([9, 10]);
      expect(read({ terminalId: B })).toEqual([]);
    });

    test("extent and head say where a recording begins and ends", () => {
      using store = withTerminal();
      expect(store.readExtent(A)).toEqual({ firstSequence: 1, lastSequence: 0 });
      expect(store.readHead(A)).toBeUndefined();
      fill(store, 3);
      expect(store.readExtent(A)).toEqual({ firstSequence: 1, lastSequence: 3 });
      expect(store.readHead(A)).toMatchObject({
        sequence: 3,
        hash: new Uint8Array(32).fill(3),
        at: 1003,
        elapsedMs: 3,
      });
    });

    test("a recording can lose its beginning and keeps the anchor", () => {
      using store = withTerminal();
      fill(store, 5);
      const anchor = {
        sequence: 3,
        hash: new Uint8Array(32).fill(3),
        cols: 100,
        rows: 40,
        digest: new Uint8Array(32).fill(9),
      };
      store.transaction(() => store.trim(A, { ...anchor, sequence: 1 }));
      store.transaction(() => store.trim(A, anchor));
      expect(store.readAnchor(A)).toEqual(anchor);
      expect(store.readExtent(A)).toEqual({ firstSequence: 4, lastSequence: 5 });
      const read = (query: object): number[] =>
        sequences(store.readEntries({ terminalId: A, ...ALL, ...query }));
      expect([read({ after: 1 }), read({ after: 4 }), read({ after: 9 })]).toEqual([
        [4, 5],
        [5],
        [],
      ]);
      expect([read({ before: 2 }), read({ before: 5 })]).toEqual([[], [4]]);
      expect([store.readTime(A, 3), store.readTime(A, 4)]).toEqual([undefined, 1004]);
      store.transaction(() => store.trim(A, { ...anchor, sequence: 5 }));
      expect(store.readExtent(A)).toEqual({ firstSequence: 6, lastSequence: 5 });
    });

    test("a recording is sealed once", () => {
      using store = withTerminal();
      fill(store, 1);
      const seal = { sequence: 1, digest: new Uint8Array(32).fill(7), sealedAt: 1234 };
      store.transaction(() => store.writeSeal(A, seal));
      expect(store.readSeal(A)).toEqual(seal);
      expect(() => store.transaction(() => store.writeSeal(A, seal))).toThrow(/seal/);
    });

    test("a deleted terminal takes its whole recording with it, and no other", () => {
      using store = withTerminal();
      store.transaction(() => store.insertTerminal(terminalRow("b")));
      fill(store, 3);
      fill(store, 2, { terminalId: B });
      store.transaction(() => {
        store.writeSeal(A, { sequence: 3, digest: new Uint8Array(32), sealedAt: 1 });
        store.trim(A, {
          sequence: 1,
          hash: new Uint8Array(32),
          cols: 80,
          rows: 24,
          digest: new Uint8Array(32),
        });
      });
      expect(store.transaction(() => store.deleteTerminal(A))).toBe(true);
      expect(store.transaction(() => store.deleteTerminal(A))).toBe(false);
      expect(store.readTerminal(A)).toBeUndefined();
      expect(store.readEntries({ terminalId: A, ...ALL })).toEqual([]);
      store.transaction(() => store.insertTerminal(terminalRow("a")));
      expect(store.readEntries({ terminalId: A, ...ALL })).toEqual([]);
      expect([store.readSeal(A), store.readAnchor(A), store.readHead(A)]).toEqual([
        undefined,
        undefined,
        undefined,
      ]);
      expect(sequences(store.readEntries({ terminalId: B, ...ALL }))).toEqual([1, 2]);
    });

    test("the group that was written last is known, unless it was taken back", () => {
      using store = withTerminal();
      store.transaction(() => store.writeCommitToken(7));
      expect(() =>
        store.transaction(() => {
          store.writeCommitToken(8);
          throw new Error("no");
        }),
      ).toThrow("no");
      expect(store.readCommitToken()).toBe(7);
    });

    test("ids and times are there without their rows", () => {
      using store = withTerminal();
      fill(store, 2);
      expect([store.hasTerminal(A), store.hasTerminal(B)]).toEqual([true, false]);
      expect(store.listTerminalIds({ limit: 9 })).toEqual([A]);
      expect(store.listTerminalIds({ after: A, limit: 9 })).toEqual([]);
      expect([store.readTime(A, 2), store.readTime(A, 3)]).toEqual([1002, undefined]);
      const [row] = store.readEntries({ terminalId: A, ...ALL, after: 1 });
      expect(store.readElapsed(A, 2)).toBe(row?.elapsedMs);
      expect(store.readReusableBytes()).toBeGreaterThanOrEqual(0);
      expect(store.findDamage()).toBeUndefined();
    });

    test("usage says what retention needs to know", () => {
      using store = withTerminal();
      store.transaction(() => store.insertTerminal(terminalRow("b")));
      fill(store, 3);
      store.transaction(() =>
        store.writeSeal(A, { sequence: 3, digest: new Uint8Array(32), sealedAt: 1 }),
      );
      expect(store.listUnsealed()).toEqual([B]);
      expect(store.readUsage()).toEqual([
        {
          terminalId: A,
          firstSequence: 1,
          lastSequence: 3,
          dataBytes: 12,
          lastAt: 1003,
          sealed: true,
        },
        {
          terminalId: B,
          firstSequence: 1,
          lastSequence: 0,
          dataBytes: 0,
          lastAt: Date.parse(terminalRow("b").createdAt),
          sealed: false,
        },
      ]);
      expect(store.findNewerThan(A, 1001)).toBe(2);
      expect(store.findNewerThan(A, 1003)).toBeUndefined();
      expect(store.findEndOfBytes(A, 5)).toBe(2);
      expect(store.findEndOfBytes(A, 13)).toBeUndefined();
      expect([0, 2, 9].map((end) => store.readDataBytes(A, end))).toEqual([0, 8, 12]);
    });

    snapshotCases(open);
    auditCases(open);
  });
}
