import type { DatabaseSync } from "node:sqlite";
import { CommandId, NacreError, TerminalId } from "@nacre/contracts";
import { openDatabase, readVersion } from "../../store/sqlite-database.ts";
import { decodePackedLines, fileIdentity } from "./index-store.ts";
import { type IndexedLine, unpackLines, unpackText } from "./line-block.ts";

/** The index file, read-only: reopened when it was rebuilt, which may happen at any time. */
export class IndexFile {
  readonly #path: string;
  #opened:
    | {
        readonly file: string | undefined;
        readonly database: DatabaseSync;
        readonly reader: IndexReader;
      }
    | undefined;

  constructor(path: string) {
    this.#path = path;
  }

  reader(): IndexReader {
    const file = fileIdentity(this.#path);
    if (file !== undefined && this.#opened?.file === file) return this.#opened.reader;
    this.#opened?.database.close();
    this.#opened = undefined;
    const database = openDatabase(this.#path, { readOnly: true });
    try {
      // A file that was just created has no tables yet.
      if (readVersion(database) === 0) throw beingRebuiltError();
      const reader = new IndexReader(database);
      this.#opened = { file, database, reader };
      return reader;
    } catch (error) {
      database.close();
      throw error;
    }
  }
}

const beingRebuiltError = (): NacreError =>
  new NacreError("unavailable", "the search index is being rebuilt", {
    suggestion: "Try again in a moment.",
  });

export interface CandidateBlock {
  readonly id: number;
  readonly terminal: number;
  readonly terminalId: TerminalId;
  readonly firstSequence: number;
  /** Lines of output before this block. */
  readonly firstLine: number;
  /** In UTF-8. */
  readonly bytes: Buffer;
  lines(text: string): IndexedLine[];
}

export interface BlockFilter {
  /** FTS query; absent: every block is read. */
  readonly trigrams: string | undefined;
  readonly terminalIds: readonly TerminalId[] | undefined;
  /** Unix ms. */
  readonly since: number | undefined;
  readonly until: number | undefined;
  /** Only blocks up to this one, and all of its terminal. */
  readonly from: { readonly block: number; readonly terminal: number } | undefined;
}

export interface IndexedCommand {
  readonly commandId: CommandId;
  readonly commandLine: string;
  readonly cwd: string | undefined;
  readonly exitCode: number | undefined;
  readonly signal: string | undefined;
}

type IndexRow = Readonly<Record<string, unknown>>;

/** One connection. */
export class IndexReader {
  readonly #statements: ReturnType<typeof prepareReads>;

  constructor(database: DatabaseSync) {
    this.#statements = prepareReads(database);
  }

  /** New or being rebuilt. */
  isBuilding(): boolean {
    return this.#statements.building.get() !== undefined;
  }

  /** Newest first. */
  *candidates(filter: BlockFilter): Generator<CandidateBlock> {
    const common = {
      terminals: filter.terminalIds ? JSON.stringify(filter.terminalIds) : null,
      since: filter.since ?? null,
      until: filter.until ?? null,
      block: filter.from?.block ?? Number.MAX_SAFE_INTEGER,
      terminal: filter.from?.terminal ?? null,
    };
    const { trigrams } = filter;
    if (trigrams === undefined) {
      yield* decodeBlocks(this.#statements.all.iterate(common));
      return;
    }
    // Blocks that are not in the trigram index yet are scanned.
    const pending = decodeBlocks(this.#statements.pending.iterate(common));
    const indexed = decodeBlocks(
      this.#statements.withLetters.iterate({ ...common, letters: trigrams }),
    );
    yield* mergeNewestFirst(pending, indexed);
  }

  findCommand(terminal: number, sequence: number): IndexedCommand | undefined {
    const row = this.#statements.command.get(terminal, sequence);
    if (!row) return undefined;
    const last = row["last_sequence"];
    return typeof last === "number" && last < sequence ? undefined : decodeCommand(row);
  }

  /** The adjacent block of the same terminal. */
  neighbourLines(block: CandidateBlock, side: "before" | "after"): IndexedLine[] {
    const row = this.#statements[side].get(block.terminal, block.id);
    return row ? unpackLines(decodePackedLines(row)) : [];
  }
}

function* decodeBlocks(rows: Iterable<IndexRow>): Generator<CandidateBlock> {
  for (const row of rows) {
    const packed = decodePackedLines(row);
    yield {
      id: Number(row["id"]),
      terminal: Number(row["terminal"]),
      terminalId: TerminalId.parse(row["terminal_id"]),
      firstSequence: packed.firstSequence,
      firstLine: packed.firstLine,
      bytes: unpackText(packed),
      lines: (text) => unpackLines(packed, text),
    };
  }
}

function* mergeNewestFirst(
  ...sources: readonly Generator<CandidateBlock>[]
): Generator<CandidateBlock> {
  try {
    const heads = sources.map((source) => ({ source, next: source.next() }));
    for (;;) {
      let newest: { head: (typeof heads)[number]; block: CandidateBlock } | undefined;
      for (const head of heads) {
        if (head.next.done) continue;
        const block = head.next.value;
        if (!newest || block.id > newest.block.id) newest = { head, block };
      }
      if (!newest) return;
      yield newest.block;
      newest.head.next = newest.head.source.next();
    }
  } finally {
    // An unfinished statement would keep the WAL from being checkpointed.
    for (const source of sources) source.return(undefined);
  }
}

function decodeCommand(row: IndexRow): IndexedCommand {
  const { cwd, exit_code: exitCode, signal } = row;
  return {
    commandId: CommandId.parse(row["id"]),
    commandLine: String(row["line"]),
    cwd: typeof cwd === "string" ? cwd : undefined,
    exitCode: typeof exitCode === "number" ? exitCode : undefined,
    signal: typeof signal === "string" ? signal : undefined,
  };
}

const COLUMNS =
  "block.id, block.terminal, indexed.id AS terminal_id, first_sequence, first_line, first_at, text, places";

const BLOCKS = `SELECT ${COLUMNS} FROM block JOIN indexed USING (terminal)`;

const FILTER = `(block.id <= $block OR block.terminal = $terminal)
  AND ($terminals IS NULL OR indexed.id IN (SELECT value FROM json_each($terminals)))
  AND ($since IS NULL OR block.last_at >= $since)
  AND ($until IS NULL OR block.first_at < $until)`;

const NEIGHBOUR =
  "SELECT first_sequence, first_line, first_at, text, places FROM block WHERE terminal = ?";

function prepareReads(database: DatabaseSync) {
  return {
    all: database.prepare(`${BLOCKS} WHERE ${FILTER} ORDER BY block.id DESC`),
    pending: database.prepare(`${BLOCKS} WHERE stage < 2 AND ${FILTER} ORDER BY block.id DESC`),
    withLetters: database.prepare(
      `SELECT ${COLUMNS}
       FROM letters CROSS JOIN block ON block.id = letters.rowid CROSS JOIN indexed USING (terminal)
       WHERE letters MATCH $letters AND ${FILTER}
       ORDER BY letters.rowid DESC`,
    ),
    command: database.prepare(
      `SELECT id, line, cwd, last_sequence, exit_code, signal FROM command
       WHERE terminal = ? AND first_sequence <= ? ORDER BY first_sequence DESC LIMIT 1`,
    ),
    building: database.prepare("SELECT 1 FROM building LIMIT 1"),
    before: database.prepare(`${NEIGHBOUR} AND id < ? ORDER BY id DESC LIMIT 1`),
    after: database.prepare(`${NEIGHBOUR} AND id > ? ORDER BY id LIMIT 1`),
  };
}
