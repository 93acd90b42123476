// Opening and migrating any SQLite file of the host.
import { chmodSync, closeSync, mkdirSync, openSync } from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { NacreError } from "@nacre/contracts";
import { hasErrno } from "../base/errno.ts";
import type { Durability } from "./store.ts";

const SQLITE_BUSY = 5;

/** Locks a store for the life of this process; the kernel releases it however the process ends. */
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

function isBusy(error: unknown): boolean {
  return error instanceof Error && "errcode" in error && error.errcode === SQLITE_BUSY;
}

/** Readers finish in a moment; a longer wait would hide that something else holds the file. */
const BUSY_TIMEOUT_MS = 500;

/** For new files: halves the writes per output compared with the default 4096, and a small commit costs no more. */
const PAGE_BYTES = 8192;

/** The writer checkpoints the WAL at this length. */
const WAL_BYTES = 4 * 1024 * 1024;

/** How long to wait while another connection checkpoints: a few MiB, maybe on a slow disk. */
const CHECKPOINT_TIMEOUT_MS = 5000;

/** SQLite does not signal the end of another connection's checkpoint. */
const CHECKPOINT_POLL_MS = 2;

/** Recordings are private by default. */
const OWNER_ONLY_FILE = 0o600;
const OWNER_ONLY_DIRECTORY = 0o700;

export interface DatabaseOptions {
  readonly durability?: Durability;
  readonly readOnly?: boolean;
  /** WAL length at which the writer itself checkpoints, and waits for that. */
  readonly walBytes?: number;
}

/** WAL mode: readers never wait. A new file is readable by its owner only. */
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
      // The WAL survives a killed process with either; only FULL survives a power cut.
      const synchronous = options.durability === "power" ? "FULL" : "NORMAL";
      database.exec(
        `PRAGMA page_size = ${PAGE_BYTES}; PRAGMA journal_mode = WAL; PRAGMA synchronous = ${synchronous}; PRAGMA secure_delete = ON;`,
      );
      // A file keeps the page size it was made with.
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

/** Creates a private file unless it exists: closing a file that SQLite has open would drop its POSIX locks. */
function createPrivateFile(path: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: OWNER_ONLY_DIRECTORY });
  try {
    closeSync(openSync(path, "ax", OWNER_ONLY_FILE));
  } catch (error) {
    if (!hasErrno(error, "EEXIST")) throw error;
    chmodSync(path, OWNER_ONLY_FILE);
  }
}

/** Migrates in one transaction; a schema newer than known is refused and left unchanged. */
export function migrate(database: DatabaseSync, migrations: readonly string[]): void {
  const version = readVersion(database);
  if (version === migrations.length) return;
  if (version > migrations.length) throw newerSchemaError(version, migrations.length);
  runTransaction(database, () => {
    // Another process may have migrated since the first look.
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

export function readVersion(database: DatabaseSync): number {
  return Number(database.prepare("PRAGMA user_version").get()?.["user_version"]);
}

/** Commits all of the work or nothing. */
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

/**
 * Checkpoints as far as possible without waiting for readers (PASSIVE); the WAL restarts once all of it is
 * checkpointed.
 */
export function checkpointWal(database: DatabaseSync): void {
  database.exec("PRAGMA wal_checkpoint(PASSIVE)");
}

/** Checkpoints the WAL of a file that another connection writes. */
export function checkpointWalFile(path: string): void {
  // Opened anew each time: after a failed fsync the same descriptor must not be trusted again.
  const database = openDatabase(path);
  try {
    checkpointWal(database);
  } finally {
    database.close();
  }
}

/** Makes removed data unreadable in the files; needs room for a second copy, and a moment without readers. */
export function scrubDatabase(database: DatabaseSync): void {
  // secure_delete zeroes rows; old pages remain in the WAL, and old bytes in unused parts of split pages.
  truncateWal(database);
  // VACUUM copies the database through a temporary file; in memory it would need as much RAM.
  database.exec("PRAGMA temp_store = FILE; VACUUM; PRAGMA temp_store = MEMORY;");
  truncateWal(database);
}

const never = new Int32Array(new SharedArrayBuffer(4));

function truncateWal(database: DatabaseSync): void {
  const checkpoint = database.prepare("PRAGMA wal_checkpoint(TRUNCATE)");
  const deadline = performance.now() + CHECKPOINT_TIMEOUT_MS;
  for (;;) {
    const outcome = checkpoint.get();
    if (outcome?.["busy"] === 0) return;
    // SQLite waits for readers itself, but not for another checkpointer: then it reports a log of -1.
    const isCheckpointedElsewhere = Number(outcome?.["log"]) < 0;
    if (!isCheckpointedElsewhere || performance.now() > deadline) break;
    Atomics.wait(never, 0, 0, CHECKPOINT_POLL_MS);
  }
  throw new NacreError("unavailable", "the WAL is being read and cannot be truncated", {
    suggestion: "Try again in a moment.",
  });
}
