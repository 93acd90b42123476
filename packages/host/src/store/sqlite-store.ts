import type { DatabaseSync } from "node:sqlite";
import {
  NacreError,
  type NewAuditRecord,
  type TerminalId,
  type TerminalStorage,
} from "@nacre/contracts";
import { MIGRATIONS } from "./migrations.ts";
import {
  checkpointWal,
  lockStore,
  migrate,
  openDatabase,
  runTransaction,
  scrubDatabase,
} from "./sqlite-database.ts";
import { encodeAuditKind, SqliteReader } from "./sqlite-reader.ts";
import {
  type Anchor,
  type AuditRemoval,
  checkSnapshotLimit,
  type Durability,
  type EntryRow,
  type Seal,
  type SnapshotRow,
  type Store,
  type StoreReader,
} from "./store.ts";
import { encodeAuditRecord, encodeTerminal } from "./sqlite-rows.ts";

/**
 * A backstop: another thread checkpoints most of the WAL before it reaches this length. Without that thread this keeps
 * the WAL from growing for ever.
 */
const MAX_WAL_BYTES = 32 * 1024 * 1024;

/** Opens a store as its only writer; a second one is refused while this one is open or the given lock is held. */
export function openSqliteStore(
  path: string,
  durability: Durability = "process",
  held?: Disposable,
): Store {
  using opened = new DisposableStack();
  const lock = held ? undefined : opened.use(lockStore(path));
  const database = openDatabase(path, { durability, walBytes: MAX_WAL_BYTES });
  opened.defer(() => database.close());
  migrate(database, MIGRATIONS);
  const store = new SqliteStore(database, lock);
  opened.move();
  return store;
}

/** Read-only, beside a writer; one per thread. */
export function openSqliteReader(path: string): StoreReader {
  return new SqliteReader(openDatabase(path, { readOnly: true }));
}

/** More terminals are looked up again. */
const MAX_REMEMBERED_TERMINALS = 10_000;

export class SqliteStore extends SqliteReader implements Store {
  readonly name: string = "sqlite-store";
  readonly #database: DatabaseSync;
  readonly #lock: Disposable | undefined;
  readonly #statements: ReturnType<typeof prepareWrites>;
  readonly #numbers = new Map<TerminalId, number>();

  constructor(database: DatabaseSync, lock?: Disposable) {
    super(database);
    this.#database = database;
    this.#lock = lock;
    this.#statements = prepareWrites(database);
  }

  transaction<Result>(work: () => Result): Result {
    return runTransaction(this.#database, work);
  }

  insertTerminal(row: TerminalStorage): void {
    const { changes } = this.#statements.insertTerminal.run(...encodeTerminal(row));
    if (changes === 0) throw new NacreError("already_exists", `${row.id} already exists`);
  }

  deleteTerminal(id: TerminalId): boolean {
    this.#numbers.delete(id);
    return this.#statements.deleteTerminal.run(id).changes > 0;
  }

  insertEntry(row: EntryRow): void {
    this.#statements.insertEntry.run(
      this.#numberOf(row.terminalId),
      row.sequence,
      row.type,
      row.at,
      row.elapsedMs,
      row.offset,
      row.facts,
      row.hash,
      row.data,
    );
  }

  writeSeal(id: TerminalId, seal: Seal): void {
    this.#statements.writeSeal.run(this.#numberOf(id), seal.sequence, seal.digest, seal.sealedAt);
  }

  insertSnapshot(id: TerminalId, row: SnapshotRow): void {
    checkSnapshotLimit(row);
    const { sequence, cols, rows, state } = row;
    this.#statements.insertSnapshot.run(this.#numberOf(id), sequence, cols, rows, state);
  }

  trim(id: TerminalId, anchor: Anchor): void {
    const number = this.#numberOf(id);
    this.#statements.deleteEntries.run(number, anchor.sequence);
    this.#statements.deleteSnapshots.run(number, anchor.sequence);
    const { sequence, hash, cols, rows, digest } = anchor;
    this.#statements.writeAnchor.run(number, sequence, hash, cols, rows, digest);
  }

  insertAudit(record: NewAuditRecord): number {
    return Number(this.#statements.insertAudit.run(...encodeAuditRecord(record)).lastInsertRowid);
  }

  deleteAudit({ kind, throughSequence, limit }: AuditRemoval): number {
    const { deleteAudit } = this.#statements;
    return Number(deleteAudit.run(encodeAuditKind(kind), throughSequence, limit).changes);
  }

  writeCommitToken(token: number): void {
    this.#statements.writeGroup.run(token);
  }

  readCommitToken(): number {
    return Number(this.#statements.readGroup.get()?.["token"]);
  }

  readReusableBytes(): number {
    const pages = Number(this.#statements.freePages.get()?.["freelist_count"]);
    return pages * Number(this.#statements.pageSize.get()?.["page_size"]);
  }

  checkpointWal(): void {
    checkpointWal(this.#database);
  }

  scrub(): void {
    scrubDatabase(this.#database);
  }

  override [Symbol.dispose](): void {
    super[Symbol.dispose]();
    this.#lock?.[Symbol.dispose]();
  }

  /** Only this connection removes terminals, so it may cache. */
  protected override numberOf(id: TerminalId): number | undefined {
    const known = this.#numbers.get(id);
    if (known !== undefined) return known;
    const number = super.numberOf(id);
    if (number === undefined) return undefined;
    if (this.#numbers.size >= MAX_REMEMBERED_TERMINALS) this.#numbers.clear();
    this.#numbers.set(id, number);
    return number;
  }

  #numberOf(id: TerminalId): number {
    const number = this.numberOf(id);
    if (number === undefined)
      throw new NacreError("terminal_not_found", `no terminal has the id ${id}`);
    return number;
  }
}

function prepareWrites(database: DatabaseSync) {
  return {
    insertTerminal: database.prepare(
      `INSERT INTO terminal (id, owner_name, owner_id, owner_attributes, working_directory, name, command, args, created_at)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO NOTHING`,
    ),
    writeGroup: database.prepare("UPDATE last_group SET token = ?"),
    readGroup: database.prepare("SELECT token FROM last_group"),
    freePages: database.prepare("PRAGMA freelist_count"),
    pageSize: database.prepare("PRAGMA page_size"),
    deleteTerminal: database.prepare("DELETE FROM terminal WHERE id = ?"),
    insertEntry: database.prepare(
      `INSERT INTO terminal_recording_entry (terminal, sequence, type, at, elapsed_ms, offset, facts, hash, data)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    ),
    deleteEntries: database.prepare(
      "DELETE FROM terminal_recording_entry WHERE terminal = ? AND sequence <= ?",
    ),
    insertSnapshot: database.prepare(
      `INSERT INTO screen_snapshot (terminal, sequence, cols, rows, state) VALUES (?, ?, ?, ?, ?)
       ON CONFLICT (terminal, sequence) DO UPDATE SET cols = excluded.cols, rows = excluded.rows, state = excluded.state`,
    ),
    deleteSnapshots: database.prepare(
      `DELETE FROM screen_snapshot WHERE terminal = ?1 AND sequence <
         (SELECT max(sequence) FROM screen_snapshot WHERE terminal = ?1 AND sequence <= ?2)`,
    ),
    writeAnchor: database.prepare(
      `INSERT INTO recording_anchor (terminal, sequence, hash, cols, rows, digest) VALUES (?, ?, ?, ?, ?, ?)
       ON CONFLICT (terminal) DO UPDATE SET sequence = excluded.sequence, hash = excluded.hash,
         cols = excluded.cols, rows = excluded.rows, digest = excluded.digest`,
    ),
    writeSeal: database.prepare(
      "INSERT INTO recording_seal (terminal, sequence, digest, sealed_at) VALUES (?, ?, ?, ?)",
    ),
    insertAudit: database.prepare(
      `INSERT INTO audit (occurred_at, caller, scope, via, peer, action, terminal_id, outcome, facts)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    ),
    deleteAudit: database.prepare(
      `DELETE FROM audit WHERE sequence IN
         (SELECT sequence FROM audit WHERE (caller IS NULL) = ? AND sequence <= ? ORDER BY sequence LIMIT ?)`,
    ),
  };
}
