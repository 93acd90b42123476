import { rmSync, statSync } from "node:fs";
import type { DatabaseSync } from "node:sqlite";
import { TerminalId } from "@nacre/contracts";
import {
  openDatabase,
  readVersion,
  runTransaction,
  scrubDatabase,
} from "../../store/sqlite-database.ts";
import { encodeTrigrams } from "./trigrams.ts";
import { type PackedLines, type StoredLines, unpackText } from "./line-block.ts";

/** SQLite result codes that may pass: busy, locked, nomem, ioerr, full, cantopen. */
const TRANSIENT_CODES: ReadonlySet<number> = new Set([5, 6, 7, 10, 13, 14]);

export function removeIndexFiles(path: string): void {
  for (const end of ["", "-wal", "-shm"]) rmSync(path + end, { force: true });
}

/** A retry may work without rebuilding the index. */
export function isTransient(error: unknown): boolean {
  return (
    error instanceof Error && "errcode" in error && TRANSIENT_CODES.has(Number(error.errcode) % 256)
  );
}

/** An index of another format is rebuilt: change this with anything that is stored. */
const INDEX_FORMAT = 2;

/** The search index: a projection in a file of its own, rebuilt from the recordings whenever missing or damaged. */
const INDEX_SCHEMA = `
CREATE TABLE indexed (
  terminal INTEGER PRIMARY KEY AUTOINCREMENT,
  id       TEXT NOT NULL UNIQUE,
  -- The newest entry whose text is in the index, and its hash: a store that was put back has another.
  through  INTEGER NOT NULL,
  hash     BLOB NOT NULL,
  -- What is needed to go on from there, as JSON.
  state    TEXT NOT NULL
) STRICT;

-- Lines of one terminal, enough of them to make the index of their letters small.
CREATE TABLE block (
  id       INTEGER PRIMARY KEY AUTOINCREMENT,
  terminal INTEGER NOT NULL REFERENCES indexed (terminal) ON DELETE CASCADE,
  first_sequence INTEGER NOT NULL,
  last_sequence  INTEGER NOT NULL,
  -- How many lines of output the terminal has before this block.
  first_line INTEGER NOT NULL,
  first_at INTEGER NOT NULL,
  last_at  INTEGER NOT NULL,
  -- 0: still grows, 1: closed, 2: closed and in the index of letters.
  stage    INTEGER NOT NULL,
  text     BLOB NOT NULL,
  places   BLOB NOT NULL
) STRICT;

CREATE INDEX block_of_terminal ON block (terminal, id);
CREATE INDEX block_in_progress ON block (id) WHERE stage < 2;

CREATE TABLE command (
  terminal       INTEGER NOT NULL REFERENCES indexed (terminal) ON DELETE CASCADE,
  first_sequence INTEGER NOT NULL,
  last_sequence  INTEGER,
  id             TEXT NOT NULL,
  line           TEXT NOT NULL,
  cwd            TEXT,
  exit_code      INTEGER,
  signal         TEXT,
  PRIMARY KEY (terminal, first_sequence)
) STRICT, WITHOUT ROWID;

-- Has a row until the index has had everything that was recorded: then what is not found is not there.
CREATE TABLE building (since INTEGER NOT NULL) STRICT;
INSERT INTO building (since) VALUES (unixepoch());

-- Which three letters in a row are in which block, as words; whether a text is there the block itself tells.
CREATE VIRTUAL TABLE letters USING fts5 (
  words, tokenize = 'ascii', detail = 'none', content = '', contentless_delete = 1
);
`;

/** How far a terminal is indexed, with the state to continue. */
export interface IndexProgress {
  readonly terminal: number;
  readonly id: TerminalId;
  readonly through: number;
  /** Hash of the entry at `through`. */
  readonly hash: Uint8Array;
  readonly state: string;
}

/** Also tells whether the last block still grows. */
export interface ProgressSummary extends Pick<IndexProgress, "id" | "through" | "hash"> {
  readonly isOpen: boolean;
}

/** `open` and `closed` blocks are scanned, `indexed` ones found by trigrams. */
export type BlockStage = "open" | "closed" | "indexed";
const STAGES: readonly BlockStage[] = ["open", "closed", "indexed"];

export interface CommandRow {
  readonly terminal: number;
  readonly firstSequence: number;
  readonly id: string;
  readonly line: string;
  readonly cwd: string | undefined;
}

export interface CommandEnd {
  readonly terminal: number;
  readonly id: string;
  readonly lastSequence: number;
  readonly exitCode: number | undefined;
  readonly signal: string | undefined;
}

/** The only writer of the index; the changes of one step share a transaction. */
export class IndexStore implements Disposable {
  readonly database: DatabaseSync;
  readonly #statements: ReturnType<typeof prepareWrites>;

  readonly #path: string;
  readonly #file: string | undefined;

  constructor(path: string) {
    this.#path = path;
    this.database = openDatabase(path);
    try {
      this.#prepareSchema();
      this.#statements = prepareWrites(this.database);
      this.#file = fileIdentity(path);
    } catch (error) {
      this.database.close();
      throw error;
    }
  }

  /** False when another file took its place. */
  isCurrent(): boolean {
    return fileIdentity(this.#path) === this.#file;
  }

  #prepareSchema(): void {
    const format = readVersion(this.database);
    if (format === INDEX_FORMAT) return;
    if (format !== 0) throw new Error(`the index has form ${format}`);
    this.transaction(() => {
      this.database.exec(INDEX_SCHEMA);
      this.database.exec(`PRAGMA user_version = ${INDEX_FORMAT}`);
    });
  }

  transaction<Result>(work: () => Result): Result {
    return runTransaction(this.database, work);
  }

  /** Never was complete yet. */
  isBuilding(): boolean {
    return this.#statements.building.get() !== undefined;
  }

  markBuilt(): void {
    this.#statements.markBuilt.run();
  }

  /** A new terminal starts at the beginning. */
  readProgress(id: TerminalId): IndexProgress {
    const row = this.#statements.progress.get(id);
    if (row) return decodeProgress(row);
    this.#statements.insertProgress.run(id);
    return this.readProgress(id);
  }

  listProgress(): ProgressSummary[] {
    return this.#statements.allProgress.all().map((row) => ({
      id: TerminalId.parse(row["id"]),
      through: Number(row["through"]),
      hash: toBytes(row["hash"]),
      isOpen: row["is_open"] === 1,
    }));
  }

  writeProgress({ terminal, through, hash, state }: Omit<IndexProgress, "id">): void {
    this.#statements.writeProgress.run(through, hash, state, terminal);
  }

  /** Block ids are in order of creation. */
  insertBlock(terminal: number, lines: PackedLines, stage: BlockStage): number {
    const { lastInsertRowid } = this.#statements.insertBlock.run({
      ...lines,
      terminal,
      stage: STAGES.indexOf(stage),
    });
    return Number(lastInsertRowid);
  }

  updateBlock(id: number, lines: PackedLines, stage: BlockStage): void {
    this.#statements.updateBlock.run({ ...lines, id, stage: STAGES.indexOf(stage) });
  }

  readBlock(id: number): StoredLines | undefined {
    const row = this.#statements.block.get(id);
    return row && decodePackedLines(row);
  }

  deleteBlock(id: number): void {
    this.#statements.deleteBlock.run(id);
  }

  /** Indexes some closed blocks; returns how many. */
  indexTrigrams(maxBlocks: number): number {
    const blocks = this.#statements.closedBlocks.all(maxBlocks);
    for (const block of blocks) {
      const { id, text } = block;
      if (typeof id !== "number" || !(text instanceof Uint8Array)) continue;
      this.#statements.insertLetters.run(id, encodeTrigrams(unpackText({ text }).toString()));
      this.#statements.markIndexed.run(id);
    }
    return blocks.length;
  }

  insertCommand({ terminal, firstSequence, id, line, cwd }: CommandRow): void {
    this.#statements.insertCommand.run(terminal, firstSequence, id, line, cwd ?? null);
  }

  endCommand({ terminal, id, lastSequence, exitCode, signal }: CommandEnd): void {
    this.#statements.endCommand.run(lastSequence, exitCode ?? null, signal ?? null, terminal, id);
  }

  forget(id: TerminalId): void {
    this.#statements.deleteLetters.run(id, Number.MAX_SAFE_INTEGER);
    this.#statements.deleteProgress.run(id);
  }

  /** Removes blocks whose entries were all removed, and the commands before them. */
  trim(id: TerminalId, throughSequence: number): void {
    this.#statements.deleteLetters.run(id, throughSequence);
    this.#statements.deleteBlocks.run(id, throughSequence);
    this.#statements.deleteCommands.run(id, throughSequence);
  }

  /** Makes removed data unreadable in the files. */
  scrub(): void {
    // FTS keeps trigrams of removed blocks until its segments are merged.
    this.database.exec("INSERT INTO letters (letters) VALUES ('optimize')");
    scrubDatabase(this.database);
  }

  [Symbol.dispose](): void {
    this.database.close();
  }
}

const toBytes = (value: unknown): Uint8Array =>
  value instanceof Uint8Array ? value : new Uint8Array();

/** Distinguishes a file from its replacement, even with the same inode; undefined when there is none. */
export function fileIdentity(path: string): string | undefined {
  const file = statSync(path, { throwIfNoEntry: false });
  return file && `${file.ino} ${file.birthtimeMs}`;
}

export function decodePackedLines(row: Readonly<Record<string, unknown>>): StoredLines {
  return {
    firstSequence: Number(row["first_sequence"]),
    firstLine: Number(row["first_line"]),
    firstAt: Number(row["first_at"]),
    text: toBytes(row["text"]),
    places: toBytes(row["places"]),
  };
}

function decodeProgress(row: Readonly<Record<string, unknown>>): IndexProgress {
  return {
    terminal: Number(row["terminal"]),
    id: TerminalId.parse(row["id"]),
    through: Number(row["through"]),
    hash: toBytes(row["hash"]),
    state: String(row["state"]),
  };
}

/** Closed blocks that end at or before an entry. */
const BLOCKS_THROUGH = `SELECT block.id FROM block JOIN indexed USING (terminal)
  WHERE indexed.id = ?1 AND block.stage > 0 AND block.last_sequence <= ?2`;

function prepareWrites(database: DatabaseSync) {
  return {
    progress: database.prepare(
      "SELECT terminal, id, through, hash, state FROM indexed WHERE id = ?",
    ),
    allProgress: database.prepare(
      `SELECT id, through, hash, EXISTS (
         SELECT 1 FROM block WHERE block.terminal = indexed.terminal AND stage = 0) AS is_open
       FROM indexed`,
    ),
    insertProgress: database.prepare(
      "INSERT INTO indexed (id, through, hash, state) VALUES (?, 0, x'', '{}')",
    ),
    writeProgress: database.prepare(
      "UPDATE indexed SET through = ?, hash = ?, state = ? WHERE terminal = ?",
    ),
    building: database.prepare("SELECT 1 FROM building LIMIT 1"),
    markBuilt: database.prepare("DELETE FROM building"),
    deleteProgress: database.prepare("DELETE FROM indexed WHERE id = ?"),
    insertBlock: database.prepare(
      `INSERT INTO block (terminal, first_sequence, last_sequence, first_line, first_at, last_at, stage, text, places)
       VALUES ($terminal, $firstSequence, $lastSequence, $firstLine, $firstAt, $lastAt, $stage, $text, $places)`,
    ),
    updateBlock: database.prepare(
      `UPDATE block SET first_sequence = $firstSequence, last_sequence = $lastSequence,
         first_line = $firstLine, first_at = $firstAt, last_at = $lastAt, stage = $stage, text = $text, places = $places
       WHERE id = $id`,
    ),
    block: database.prepare(
      "SELECT first_sequence, first_line, first_at, text, places FROM block WHERE id = ?",
    ),
    deleteBlock: database.prepare("DELETE FROM block WHERE id = ?"),
    closedBlocks: database.prepare(
      "SELECT id, text FROM block WHERE stage < 2 AND stage = 1 ORDER BY id LIMIT ?",
    ),
    insertLetters: database.prepare("INSERT INTO letters (rowid, words) VALUES (?, ?)"),
    markIndexed: database.prepare("UPDATE block SET stage = 2 WHERE id = ?"),
    deleteLetters: database.prepare(
      `DELETE FROM letters WHERE rowid IN (${BLOCKS_THROUGH} AND block.stage = 2)`,
    ),
    deleteBlocks: database.prepare(`DELETE FROM block WHERE id IN (${BLOCKS_THROUGH})`),
    insertCommand: database.prepare(
      `INSERT INTO command (terminal, first_sequence, id, line, cwd) VALUES (?, ?, ?, ?, ?)
       ON CONFLICT DO NOTHING`,
    ),
    endCommand: database.prepare(
      `UPDATE command SET last_sequence = ?, exit_code = ?, signal = ?
       WHERE terminal = ? AND id = ? AND last_sequence IS NULL`,
    ),
    deleteCommands: database.prepare(
      "DELETE FROM command WHERE terminal = (SELECT terminal FROM indexed WHERE id = ?) AND last_sequence <= ?",
    ),
  };
}
