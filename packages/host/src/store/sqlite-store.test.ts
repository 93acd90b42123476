import { once } from "node:events";
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { Worker } from "node:worker_threads";
import { afterAll, expect, test } from "vitest";
import { auditRecord } from "../testing/audit-record.ts";
import { terminalId, terminalRow } from "../testing/terminal-row.ts";
import { FIRST_SCHEMA, MIGRATIONS } from "./migrations.ts";
import { checkpointWalFile, migrate, openDatabase, readVersion } from "./sqlite-database.ts";
import { openSqliteReader, openSqliteStore } from "./sqlite-store.ts";
import { entryRow, storeContract } from "./store.contract.ts";
import type { Store } from "./store.ts";

const directory = mkdtempSync(join(tmpdir(), "nacre-store-"));
afterAll(() => rmSync(directory, { recursive: true }));
let count = 0;
const newPath = (): string => join(directory, `${++count}`, "recordings.db");

storeContract("sqlite-store", () => openSqliteStore(newPath()));
storeContract("sqlite-store, power", () => openSqliteStore(newPath(), "power"));

test("what was written is there after the store was opened again", () => {
  const path = newPath();
  {
    using store = openSqliteStore(path);
    store.transaction(() => {
      store.insertTerminal(terminalRow("a", { command: "sh", args: ["-c", "sleep 9"] }));
      store.insertEntry(entryRow(1));
    });
  }
  using again = openSqliteStore(path);
  expect(again.readTerminal(terminalId("a"))).toMatchObject({
    command: "sh",
    args: ["-c", "sleep 9"],
  });
  expect(again.readHead(terminalId("a"))?.sequence).toBe(1);
});

test("a reader sees what is committed while the writer goes on", () => {
  const path = newPath();
  using store = openSqliteStore(path);
  store.transaction(() => store.insertTerminal(terminalRow("a")));
  using reader = openSqliteReader(path);
  store.transaction(() => {
    store.insertEntry(entryRow(1));
    expect(reader.readHead(terminalId("a"))).toBeUndefined();
  });
  expect(reader.readHead(terminalId("a"))?.sequence).toBe(1);
});

test("a reader sees the terminal that has an id now, and not the one that had it before", () => {
  const path = newPath();
  using store = openSqliteStore(path);
  using reader = openSqliteReader(path);
  const create = (): void => {
    store.transaction(() => {
      store.insertTerminal(terminalRow("a"));
      store.insertEntry(entryRow(1));
    });
  };
  create();
  expect(reader.readHead(terminalId("a"))?.sequence).toBe(1);
  store.transaction(() => store.deleteTerminal(terminalId("a")));
  expect(reader.hasTerminal(terminalId("a"))).toBe(false);
  create();
  expect(reader.readHead(terminalId("a"))?.sequence).toBe(1);
});

test("a second writer is refused, also after its refusal, until the first lets go", () => {
  const path = newPath();
  const first = openSqliteStore(path);
  const refusal = expect.objectContaining({
    code: "unavailable",
    message: expect.stringContaining(path),
  });
  expect(() => openSqliteStore(path)).toThrow(refusal);
  expect(() => openSqliteStore(path)).toThrow(refusal);
  first[Symbol.dispose]();
  openSqliteStore(path)[Symbol.dispose]();
});

test("only the owner of the files may read them", () => {
  const path = newPath();
  using store = openSqliteStore(path);
  store.transaction(() => store.insertTerminal(terminalRow("a")));
  const files = [path, `${path}-wal`, `${path}-shm`, `${path}.lock`];
  expect(files.filter((file) => (statSync(file).mode & 0o777) !== 0o600)).toEqual([]);
  expect(statSync(join(path, "..")).mode & 0o777).toBe(0o700);
});

test("a store of a newer version is refused and left as it is", () => {
  const path = newPath();
  openSqliteStore(path)[Symbol.dispose]();
  const database = new DatabaseSync(path);
  database.exec("PRAGMA user_version = 99");
  expect(() => openSqliteStore(path)).toThrow(
    expect.objectContaining({ code: "unsupported", message: expect.stringContaining("99") }),
  );
  expect(readVersion(database)).toBe(99);
  database.close();
});

test("migrations go forward in one transaction, or not at all", () => {
  const database = openDatabase(newPath());
  const first = "CREATE TABLE one (a)";
  migrate(database, [first]);
  expect(() => migrate(database, [first, "CREATE TABLE two (b); CREATE TABLE one (a)"])).toThrow(
    "already exists",
  );
  expect(readVersion(database)).toBe(1);
  migrate(database, [first, "CREATE TABLE two (b)", "CREATE TABLE three (c)"]);
  migrate(database, [first, "CREATE TABLE two (b)", "CREATE TABLE three (c)"]);
  expect(readVersion(database)).toBe(3);
  database.close();
});

test("a store of the first version is brought forward with all it has, and can keep snapshots and the audit", () => {
  const path = newPath();
  const old = openDatabase(path);
  migrate(old, [FIRST_SCHEMA]);
  old.exec(`
    INSERT INTO terminal (id, owner_name, owner_id, working_directory, created_at)
      VALUES ('terminal:a', 'Task', '7', '/tmp', '2026-01-31T09:30:00.000Z');
    INSERT INTO terminal_recording_entry VALUES (1, 1, 'output', 1001, 1, 0, NULL, x'0102', x'00ff0a');
    INSERT INTO recording_seal VALUES (1, 1, x'07', 1234);`);
  old.close();
  const id = terminalId("a");
  {
    using store = openSqliteStore(path);
    expect(store.readTerminal(id)).toMatchObject({ id, workingDirectory: "/tmp" });
    expect(store.readEntries({ terminalId: id, limit: 9, maxBytes: 99 })).toMatchObject([
      { sequence: 1, at: 1001, data: new Uint8Array([0, 0xff, 0x0a]) },
    ]);
    expect(store.readSeal(id)).toMatchObject({ sequence: 1, sealedAt: 1234 });
    expect(store.findSnapshot(id, 1)).toBeUndefined();
    const snapshot = { sequence: 1, cols: 80, rows: 24, state: new Uint8Array([1]) };
    store.transaction(() => store.insertSnapshot(id, snapshot));
    expect(store.findSnapshot(id, 1)).toEqual(snapshot);
    expect(store.readAudit({ after: 0, limit: 9 })).toEqual([]);
    store.transaction(() => store.insertAudit(auditRecord(1)));
    expect(store.readAudit({ after: 0, limit: 9 })).toEqual([{ sequence: 1, ...auditRecord(1) }]);
  }
  const after = openDatabase(path, { readOnly: true });
  expect(readVersion(after)).toBe(MIGRATIONS.length);
  after.close();
});

test("a damaged record of the audit does not hide the others", () => {
  const path = newPath();
  using store = openSqliteStore(path);
  store.transaction(() => [1, 2, 3].forEach((number) => store.insertAudit(auditRecord(number))));
  const database = new DatabaseSync(path);
  database.exec("UPDATE audit SET facts = '{' WHERE sequence = 2");
  database.close();
  const read = store.readAudit({ after: 0, limit: 2 });
  expect(read.map(({ sequence }) => sequence)).toEqual([1, 3]);
});

test("the row of a terminal stays as small as it was, whatever is recorded", () => {
  const path = newPath();
  using store = openSqliteStore(path);
  store.transaction(() => store.insertTerminal(terminalRow("a")));
  const database = new DatabaseSync(path, { readOnly: true });
  const readRow = () => database.prepare("SELECT * FROM terminal").all();
  const before = readRow();
  store.transaction(() => {
    const data = new Uint8Array(64 * 1024);
    for (let n = 1; n <= 160; n++) store.insertEntry(entryRow(n, { data }));
  });
  expect(readRow()).toEqual(before);
  database.close();
});

/** Adds so many entries of 64 KiB each behind the last. */
function fill(store: Store, count: number): void {
  const { sequence } = store.readHead(terminalId("a")) ?? { sequence: 0 };
  const data = new Uint8Array(64 * 1024);
  store.transaction(() => {
    for (let n = 1; n <= count; n++) store.insertEntry(entryRow(sequence + n, { data }));
  });
}

test("the log is folded by another connection, and begins anew once all of it is", () => {
  const path = newPath();
  using store = openSqliteStore(path);
  store.transaction(() => store.insertTerminal(terminalRow("a")));
  const before = statSync(path).size;
  fill(store, 100);
  // The writer alone leaves it to others.
  expect(statSync(path).size).toBe(before);
  checkpointWalFile(path);
  expect(statSync(path).size).toBeGreaterThan(100 * 64 * 1024);
  const log = statSync(`${path}-wal`).size;
  fill(store, 50);
  expect(statSync(`${path}-wal`).size).toBe(log);
  expect(store.readHead(terminalId("a"))?.sequence).toBe(150);
});

test("the log is emptied although another thread folds it again and again", async () => {
  const path = newPath();
  using store = openSqliteStore(path);
  store.transaction(() => store.insertTerminal(terminalRow("a")));
  const isOver = new Int32Array(new SharedArrayBuffer(4));
  const folding = `
    const { parentPort, workerData: { path, isOver } } = require("node:worker_threads");
    const database = new (require("node:sqlite").DatabaseSync)(path);
    parentPort.postMessage("ready");
    while (Atomics.load(isOver, 0) === 0) database.exec("PRAGMA wal_checkpoint(PASSIVE)");
    database.close();`;
  const worker = new Worker(folding, { eval: true, workerData: { path, isOver } });
  await once(worker, "message");
  try {
    for (let round = 0; round < 20; round++) {
      fill(store, 2);
      store.scrub();
      expect(statSync(`${path}-wal`).size).toBe(0);
    }
  } finally {
    Atomics.store(isOver, 0, 1);
    await once(worker, "exit");
  }
});

test.each([
  [
    "entries of a type are found in a long recording",
    "SELECT data FROM terminal_recording_entry WHERE terminal = 1 AND sequence > 0 AND type <> 'output' ORDER BY sequence",
    "entry_beside_output",
  ],
  [
    "a snapshot is found among many",
    "SELECT state FROM screen_snapshot WHERE terminal = 1 AND sequence <= 9 ORDER BY sequence DESC LIMIT 1",
    "sqlite_autoindex_screen_snapshot_1",
  ],
  [
    "the oldest records of strangers are found in a long audit",
    "SELECT sequence FROM audit WHERE (caller IS NULL) = 1 ORDER BY sequence DESC LIMIT 1 OFFSET 9",
    "COVERING INDEX audit_of_strangers",
  ],
])("%s without reading through it", (_what, query, index) => {
  const path = newPath();
  openSqliteStore(path)[Symbol.dispose]();
  const database = new DatabaseSync(path, { readOnly: true });
  const plan = database
    .prepare(`EXPLAIN QUERY PLAN ${query}`)
    .all()
    .map(({ detail }) => detail);
  database.close();
  expect(plan).toEqual([expect.stringContaining(index)]);
});
