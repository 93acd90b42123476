// What every SQLite file of the host has in common: how it is opened, and how its schema moves forward.
import { chmodSync, closeSync, mkdirSync, openSync } from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { NacreError } from "@nacre/contracts";
import { hasErrno } from "../base/errno.ts";
import type { Durability } from "./store.ts";

/** SQLite's result code when somebody else holds a lock. */
const SQLITE_BUSY = 5;

/** Takes the lock beside a store for as long as this process lives: the kernel lets go of it with the process, however it ends. */
export function lockStore(path: string): Disposable {
  // An exclusive transaction that never ends is a lock on every platform, without native code.
  createPrivateFile(`${path}.lock`);
  const database = new DatabaseSync(`${path}.lock`, { timeout: 0 });
  try {
    database.exec("BEGIN EXCLUSIVE");
  } catch (error) {
    database.close();
    if (!isBusy(error)) throw error;
    throw new NacreError("unavailable", `another host uses the store ${path}`, {
      cause: error,
      suggestion: "Use the running host, or give this one a state directory of its own.",
    });
  }
  return { [Symbol.dispose]: () => database.close() };
}

/** Tells whether SQLite gave up because of another's lock. */
function isBusy(error: unknown): boolean {
  return error instanceof Error && "errcode" in error && error.errcode === SQLITE_BUSY;
}

/** Readers are done in a moment; waiting longer than this would hide that something else holds the file. */
const BUSY_TIMEOUT_MS = 500;

/** Of a new file: output is written with half as many calls of the kernel as with the usual 4096, and a small commit costs no more. */
const PAGE_BYTES = 8192;

/** Whoever writes checkpoints the WAL into the file when it is this long: often enough that it is never long. */
const WAL_BYTES = 4 * 1024 * 1024;

/** How long the WAL is waited for while somebody else checkpoints it: a few MiB as a rule, maybe on a slow disk. */
const CHECKPOINT_TIMEOUT_MS = 5000;

/** How often it is looked whether somebody else is done with checkpointing, which SQLite does not tell. */
const CHECKPOINT_POLL_MS = 2;

/** What the files hold is secret by default. */
const OWNER_ONLY_FILE = 0o600;
const OWNER_ONLY_DIRECTORY = 0o700;

export interface DatabaseOptions {
  readonly durability?: Durability;
  readonly readOnly?: boolean;
  /** How long the WAL may get before its writer checkpoints it, and waits for that. */
  readonly walBytes?: number;
}

/** Opens a database in write-ahead mode so that readers never wait; a new file is readable by its owner only. */
export function openDatabase(path: string, options: DatabaseOptions = {}): DatabaseSync {
  if (!options.readOnly && path !== ":memory:") createPrivateFile(path);
  const database = new DatabaseSync(path, {
    readOnly: options.readOnly ?? false,
    timeout: BUSY_TIMEOUT_MS,
    enableForeignKeyConstraints: true,
    enableDoubleQuotedStringLiterals: false,
    allowExtension: false,
  });
  try {
    database.enableDefensive(true);
    database.exec("PRAGMA trusted_schema = OFF; PRAGMA temp_store = MEMORY;");
    if (!options.readOnly) {
      // The WAL survives a killed process in either; only FULL survives a power cut.
      const synchronous = options.durability === "power" ? "FULL" : "NORMAL";
      database.exec(
        `PRAGMA page_size = ${PAGE_BYTES}; PRAGMA journal_mode = WAL; PRAGMA synchronous = ${synchronous}; PRAGMA secure_delete = ON;`,
      );
      // A file keeps the pages it was made with.
      const pageBytes = Number(database.prepare("PRAGMA page_size").get()?.["page_size"]);
      const logPages = Math.ceil((options.walBytes ?? WAL_BYTES) / pageBytes);
      database.exec(`PRAGMA wal_autocheckpoint = ${logPages}`);
    }
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/** Makes a file that only its owner may read, unless it is there: closing a file that SQLite has open would drop its locks. */
function createPrivateFile(path: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: OWNER_ONLY_DIRECTORY });
  try {
    closeSync(openSync(path, "ax", OWNER_ONLY_FILE));
  } catch (error) {
    if (!hasErrno(error, "EEXIST")) throw error;
    chmodSync(path, OWNER_ONLY_FILE);
  }
}

/** Brings a database to the newest schema in one transaction; a schema newer than known is refused and left as it is. */
export function migrate(database: DatabaseSync, migrations: readonly string[]): void {
  const version = readVersion(database);
  if (version === migrations.length) return;
  if (version > migrations.length) throw newerSchemaError(version, migrations.length);
  runTransaction(database, () => {
    // Another process may have been faster since the first look.
    const present = readVersion(database);
    if (present > migrations.length) throw newerSchemaError(present, migrations.length);
    for (const migration of migrations.slice(present)) database.exec(migration);
    database.exec(`PRAGMA user_version = ${migrations.length}`);
  });
}

function newerSchemaError(version: number, known: number): NacreError {
  return new NacreError(
    "unsupported",
    `the store has schema ${version}, this version of Nacre knows schemas up to ${known}`,
    { suggestion: "Use the version of Nacre that wrote the store, or a newer one." },
  );
}

/** The number of migrations a database has behind it. */
export function readVersion(database: DatabaseSync): number {
  return Number(database.prepare("PRAGMA user_version").get()?.["user_version"]);
}

/** Runs work in one transaction: all of it is kept, or nothing. */
export function runTransaction<Result>(database: DatabaseSync, work: () => Result): Result {
  database.exec("BEGIN IMMEDIATE");
  try {
    const result = work();
    database.exec("COMMIT");
    return result;
  } catch (error) {
    // A failed write may have ended the transaction already.
    if (database.isTransaction) database.exec("ROLLBACK");
    throw error;
  }
}

/** Checkpoints the WAL of a database into its file, as far as nobody has to wait for others; the WAL begins anew once all of it is checkpointed. */
export function checkpointWal(database: DatabaseSync): void {
  database.exec("PRAGMA wal_checkpoint(PASSIVE)");
}

/** Checkpoints the WAL of the database in this file, which somebody else writes. */
export function checkpointWalFile(path: string): void {
  // Opened anew each time: a file whose fsync failed must not be trusted again.
  const database = openDatabase(path);
  try {
    checkpointWal(database);
  } finally {
    database.close();
  }
}

/** Makes what was removed unreadable in the files of a database; needs room for a second copy of it, and a moment without readers. */
export function scrubDatabase(database: DatabaseSync): void {
  // Deleting writes zeros; old pages are left in the WAL, and old bytes in unused parts of pages that were split.
  truncateWal(database);
  // What is kept is written anew by way of a temporary file; in memory it would take as much of that.
  database.exec("PRAGMA temp_store = FILE; VACUUM; PRAGMA temp_store = MEMORY;");
  truncateWal(database);
}

const never = new Int32Array(new SharedArrayBuffer(4));

/** Moves the WAL into the file and empties it. */
function truncateWal(database: DatabaseSync): void {
  const checkpoint = database.prepare("PRAGMA wal_checkpoint(TRUNCATE)");
  const deadline = performance.now() + CHECKPOINT_TIMEOUT_MS;
  for (;;) {
    const outcome = checkpoint.get();
    if (outcome?.["busy"] === 0) return;
    // SQLite waits for readers itself, but not for another who checkpoints: then it does not even look how long the WAL is.
    const isCheckpointedElsewhere = Number(outcome?.["log"]) < 0;
    if (!isCheckpointedElsewhere || performance.now() > deadline) break;
    Atomics.wait(never, 0, 0, CHECKPOINT_POLL_MS);
  }
  throw new NacreError("unavailable", "the WAL is being read and cannot be truncated", {
    suggestion: "Try again in a moment.",
  });
}
