import { expect, test } from "vitest";
import { MemoryStore } from "../store/memory-store.ts";
import type { EntryRow, StoreReader } from "../store/store.ts";
import { terminalId, terminalRow } from "../testing/terminal-row.ts";
import { encodeFact, type Fact } from "./recorded-entry.ts";
import { RecordingWriter } from "./recording-writer.ts";
import { verifyRecording, type VerifyResult } from "./verify.ts";

const A = terminalId("a");

function recorded(...facts: Fact[]): MemoryStore {
  const store = new MemoryStore();
  const writer = new RecordingWriter(store);
  const entries = facts.map((fact, index) => {
    const place = { terminalId: A, at: 1000 + index, elapsedMs: index, strict: false };
    return { kind: "entry", ticket: index, ...place, ...encodeFact(fact) } as const;
  });
  writer.write([
    { kind: "terminal", ticket: 0, row: terminalRow("a") },
    ...entries,
    { kind: "seal", ticket: 0, terminalId: A, at: 5000 },
  ]);
  return store;
}

const FACTS: Fact[] = [
  { type: "header", cols: 80, rows: 24 },
  { type: "output", offset: 0, data: new Uint8Array([1, 2, 3]) },
  { type: "output", offset: 3, data: new Uint8Array([4]) },
  { type: "exit", exitCode: 0 },
];

function verdictOf(store: StoreReader): VerifyResult | undefined {
  return [...verifyRecording(store, A)].find((step) => "ok" in step);
}

/** A store that shows its rows changed. */
function changed(store: MemoryStore, change: (rows: EntryRow[]) => EntryRow[]): StoreReader {
  const rows = change(store.readEntries({ terminalId: A, limit: 99, maxBytes: 1e6 }));
  return Object.assign(Object.create(store) as MemoryStore, {
    hasTerminal: () => true,
    readTerminal: () => store.readTerminal(A),
    readAnchor: () => store.readAnchor(A),
    readSeal: () => store.readSeal(A),
    readExtent: () => ({ firstSequence: 1, lastSequence: rows.at(-1)?.sequence ?? 0 }),
    readEntries: ({ after = 0, limit }: { after?: number; limit: number }) =>
      rows.filter(({ sequence }) => sequence > after).slice(0, limit),
  });
}

const edit = (sequence: number, fields: Partial<EntryRow>) => (rows: EntryRow[]) =>
  rows.map((row) => (row.sequence === sequence ? { ...row, ...fields } : row));

test("a recording that nobody touched is proven", () => {
  expect(verdictOf(recorded(...FACTS))).toEqual({
    ok: true,
    entries: 4,
    firstSequence: 1,
    lastSequence: 4,
    sealed: true,
  });
});

test.each<[string, (rows: EntryRow[]) => EntryRow[], number]>([
  ["a changed byte", edit(2, { data: new Uint8Array([1, 2, 4]) }), 2],
  ["removed data", edit(2, { data: null }), 2],
  ["empty data instead of none", edit(4, { data: new Uint8Array() }), 4],
  ["another time", edit(3, { at: 1 }), 3],
  ["another elapsed time", edit(3, { elapsedMs: 1 }), 3],
  ["another offset", edit(3, { offset: 4 }), 3],
  ["another type", edit(4, { type: "clear" }), 4],
  ["other facts", edit(4, { facts: '{"exitCode":1}' }), 4],
  ["another hash", edit(1, { hash: new Uint8Array(32) }), 1],
  ["a dropped entry", (rows) => rows.filter(({ sequence }) => sequence !== 2), 2],
  ["a dropped end", (rows) => rows.slice(0, 3), 4],
  [
    "swapped entries",
    ([a, b, c, d]) =>
      a && b && c && d ? [a, { ...c, sequence: 2 }, { ...b, sequence: 3 }, d] : [],
    2,
  ],
  ["an added entry", (rows) => [...rows, { ...(rows[3] as EntryRow), sequence: 5 }], 5],
])("%s is found", (_name, change, firstBadSequence) => {
  expect(verdictOf(changed(recorded(...FACTS), change))).toMatchObject({
    ok: false,
    firstBadSequence,
  });
});

test("a changed row of the terminal is found", () => {
  const store = recorded(...FACTS);
  const reader = Object.assign(
    changed(store, (rows) => rows),
    {
      readTerminal: () => terminalRow("a", { workingDirectory: "/else" }),
    },
  );
  expect(verdictOf(reader)).toMatchObject({ ok: false, firstBadSequence: 1 });
});

test.each([
  ["seal", 4, "the seal cannot be read"],
  ["anchor", 1, "the place where the recording begins cannot be read"],
])("a damaged %s is not taken for none", (name, firstBadSequence, reason) => {
  const reader = changed(recorded(...FACTS), (rows) => rows);
  const damaged = (): never => {
    throw Object.assign(new Error("database disk image is malformed"), { errcode: 11 });
  };
  const method = name === "seal" ? "readSeal" : "readAnchor";
  const broken = Object.assign(Object.create(reader) as StoreReader, { [method]: damaged });
  expect(verdictOf(broken)).toEqual({ ok: false, firstBadSequence, reason });
});

test("what cannot be read is found where it is", () => {
  const store = recorded(...FACTS);
  const reader = changed(store, (rows) => rows);
  const broken = Object.assign(Object.create(reader) as StoreReader, {
    readEntries: (query: { after?: number; limit: number }) => {
      const { after = 0, limit } = query;
      if (after + limit >= 3 && after < 3) throw new Error("unreadable");
      return reader.readEntries({ terminalId: A, maxBytes: 1e6, ...query });
    },
  });
  expect(verdictOf(broken)).toMatchObject({ ok: false, firstBadSequence: 3 });
});
