import type { DatabaseSync, SQLInputValue, StatementSync } from "node:sqlite";
import {
  type AuditRecord,
  type EntryType,
  TerminalId,
  type TerminalStorage,
} from "@nacre/contracts";
import type {
  Anchor,
  AuditKind,
  AuditQuery,
  EntryQuery,
  EntryRow,
  Extent,
  RecordingHead,
  Seal,
  SnapshotRow,
  StoreReader,
  TerminalPage,
  Usage,
} from "./store.ts";
import { decodeAuditRecord, decodeTerminal } from "./sqlite-rows.ts";

const TERMINAL = `SELECT number, id, owner_name, owner_id, owner_attributes, working_directory, name, command, args, created_at FROM terminal`;

const ENTRIES = `SELECT sequence, type, at, elapsed_ms, offset, facts, hash, data FROM terminal_recording_entry
  WHERE terminal = ?1 AND sequence > ?2 AND sequence < ?3
    AND (?4 IS NULL OR type IN (SELECT value FROM json_each(?4)))`;

const FORWARDS = "ORDER BY sequence LIMIT ?5";
const BACKWARDS = "ORDER BY sequence DESC LIMIT ?5";

/** Lets SQLite use the partial index of entries other than output. */
const BESIDE_OUTPUT = "AND type <> 'output'";

const LAST = "FROM terminal_recording_entry WHERE terminal = ?1 ORDER BY sequence DESC LIMIT 1";

/** Prepared once per connection. */
function prepareReads(database: DatabaseSync) {
  const entries = (order: string) => ({
    all: database.prepare(`${ENTRIES} ${order}`),
    besideOutput: database.prepare(`${ENTRIES} ${BESIDE_OUTPUT} ${order}`),
  });
  // Separate statements, so that the owner index is used where an owner is given.
  const terminalsIn = (where: string, order: string) => ({
    all: database.prepare(`${TERMINAL} WHERE ${where} ${order}`),
    ofName: database.prepare(`${TERMINAL} WHERE owner_name = ?2 AND ${where} ${order}`),
    ofOwner: database.prepare(
      `${TERMINAL} WHERE owner_name = ?2 AND owner_id = ?3 AND ${where} ${order}`,
    ),
  });
  return {
    number: database.prepare("SELECT number FROM terminal WHERE id = ?"),
    life: database.prepare("SELECT number FROM terminal WHERE id = ? AND created_at = ?"),
    terminal: database.prepare(`${TERMINAL} WHERE id = ?`),
    terminals: terminalsIn("number > ?1", "ORDER BY number"),
    newestTerminals: terminalsIn("number < ?1", "ORDER BY number DESC"),
    ids: database.prepare("SELECT id FROM terminal WHERE number > ? ORDER BY number LIMIT ?"),
    time: database.prepare(
      "SELECT at FROM terminal_recording_entry WHERE terminal = ? AND sequence = ?",
    ),
    elapsed: database.prepare(
      "SELECT elapsed_ms FROM terminal_recording_entry WHERE terminal = ? AND sequence = ?",
    ),
    entries: { forwards: entries(FORWARDS), backwards: entries(BACKWARDS) },
    extent: database.prepare(
      `SELECT (SELECT min(sequence) FROM terminal_recording_entry WHERE terminal = ?1) AS first,
              (SELECT max(sequence) FROM terminal_recording_entry WHERE terminal = ?1) AS last`,
    ),
    head: database.prepare(`SELECT sequence, hash, at, elapsed_ms ${LAST}`),
    anchor: database.prepare(
      "SELECT sequence, hash, cols, rows, digest FROM recording_anchor WHERE terminal = ?",
    ),
    seal: database.prepare(
      "SELECT sequence, digest, sealed_at FROM recording_seal WHERE terminal = ?",
    ),
    unsealed: database.prepare(
      "SELECT id FROM terminal WHERE number NOT IN (SELECT terminal FROM recording_seal) ORDER BY number",
    ),
    snapshot: database.prepare(
      `SELECT sequence, cols, rows, state FROM screen_snapshot WHERE terminal = ? AND sequence <= ?
       ORDER BY sequence DESC LIMIT 1`,
    ),
    usage: database.prepare(
      `SELECT terminal.id, terminal.created_at, anchor.sequence AS anchor, min(entry.sequence) AS first,
         max(entry.sequence) AS last, sum(length(entry.data)) AS data_bytes, max(entry.at) AS last_at,
         EXISTS (SELECT 1 FROM recording_seal AS seal WHERE seal.terminal = terminal.number) AS sealed
       FROM terminal
         LEFT JOIN terminal_recording_entry AS entry ON entry.terminal = terminal.number
         LEFT JOIN recording_anchor AS anchor ON anchor.terminal = terminal.number
       GROUP BY terminal.number ORDER BY terminal.number`,
    ),
    newerThan: database.prepare(
      "SELECT sequence FROM terminal_recording_entry WHERE terminal = ?1 AND at > ?2 ORDER BY sequence LIMIT 1",
    ),
    endOfBytes: database.prepare(
      `SELECT sequence FROM (
         SELECT sequence, sum(length(data)) OVER (ORDER BY sequence) AS total
         FROM terminal_recording_entry WHERE terminal = ?1
       ) WHERE total >= ?2 ORDER BY sequence LIMIT 1`,
    ),
    dataBytes: database.prepare(
      "SELECT sum(length(data)) AS bytes FROM terminal_recording_entry WHERE terminal = ?1 AND sequence <= ?2",
    ),
    audit: database.prepare("SELECT * FROM audit WHERE sequence > ? ORDER BY sequence"),
    auditBehind: database.prepare(
      "SELECT sequence FROM audit WHERE (caller IS NULL) = ? ORDER BY sequence DESC LIMIT 1 OFFSET ?",
    ),
  };
}

type Columns = Readonly<Record<string, unknown>>;

export class SqliteReader implements StoreReader {
  readonly #connection: DatabaseSync;
  readonly #reads: ReturnType<typeof prepareReads>;

  constructor(database: DatabaseSync) {
    this.#connection = database;
    this.#reads = prepareReads(database);
  }

  readTerminal(id: TerminalId): TerminalStorage | undefined {
    const columns = this.#reads.terminal.get(id);
    return columns && decodeTerminal(columns);
  }

  hasTerminal(id: TerminalId, createdAt?: string): boolean {
    if (createdAt === undefined) return this.numberOf(id) !== undefined;
    return this.#reads.life.get(id, createdAt) !== undefined;
  }

  listTerminals(page: TerminalPage): TerminalStorage[] {
    const { after, limit, newestFirst = false } = page;
    const end = newestFirst ? Number.MAX_SAFE_INTEGER : 0;
    const number = after === undefined ? end : (this.numberOf(after) ?? end);
    const terminals: TerminalStorage[] = [];
    const reads = newestFirst ? this.#reads.newestTerminals : this.#reads.terminals;
    const { entityName, entityId } = page.owner ?? {};
    const rows =
      entityName === undefined
        ? iterateRows(reads.all, number)
        : entityId === undefined
          ? iterateRows(reads.ofName, number, entityName)
          : iterateRows(reads.ofOwner, number, entityName, entityId);
    for (const columns of rows) {
      const terminal = decodeReadableTerminal(columns);
      if (terminal) terminals.push(terminal);
      if (terminals.length >= limit) break;
    }
    return terminals;
  }

  listTerminalIds({ after, limit }: Pick<TerminalPage, "after" | "limit">): TerminalId[] {
    const number = after === undefined ? 0 : (this.numberOf(after) ?? 0);
    // A damaged id names nothing that could be read.
    return this.#reads.ids
      .all(number, limit)
      .flatMap(({ id }) => TerminalId.safeParse(id).data ?? []);
  }

  readTime(id: TerminalId, sequence: number): number | undefined {
    return numberIn(this.#get("time", id, sequence), "at");
  }

  readElapsed(id: TerminalId, sequence: number): number | undefined {
    return numberIn(this.#get("elapsed", id, sequence), "elapsed_ms");
  }

  readEntries(query: EntryQuery): EntryRow[] {
    const { terminalId, after = 0, before, types, limit, maxBytes } = query;
    const number = this.numberOf(terminalId);
    if (number === undefined) return [];
    const isBackwards = before !== undefined;
    const withoutOutput = types !== undefined && !types.includes("output");
    const statement = this.#reads.entries[isBackwards ? "backwards" : "forwards"];
    const rows: EntryRow[] = [];
    let bytes = 0;
    const found = iterateRows(
      withoutOutput ? statement.besideOutput : statement.all,
      number,
      after,
      before ?? Number.MAX_SAFE_INTEGER,
      types === undefined ? null : JSON.stringify(types),
      limit,
    );
    for (const columns of found) {
      const row = decodeEntryRow(terminalId, columns);
      bytes += row.data?.byteLength ?? 0;
      if (bytes > maxBytes && rows.length > 0) break;
      rows.push(row);
    }
    return isBackwards ? rows.toReversed() : rows;
  }

  readExtent(id: TerminalId): Extent {
    const columns = this.#get("extent", id);
    const anchor = this.readAnchor(id)?.sequence ?? 0;
    return {
      firstSequence: numberIn(columns, "first") ?? anchor + 1,
      lastSequence: numberIn(columns, "last") ?? anchor,
    };
  }

  readHead(id: TerminalId): RecordingHead | undefined {
    const columns = this.#get("head", id);
    return (
      columns && {
        sequence: Number(columns["sequence"]),
        hash: bytesIn(columns, "hash"),
        at: Number(columns["at"]),
        elapsedMs: Number(columns["elapsed_ms"]),
      }
    );
  }

  readAnchor(id: TerminalId): Anchor | undefined {
    const columns = this.#get("anchor", id);
    return (
      columns && {
        sequence: Number(columns["sequence"]),
        hash: bytesIn(columns, "hash"),
        cols: Number(columns["cols"]),
        rows: Number(columns["rows"]),
        digest: bytesIn(columns, "digest"),
      }
    );
  }

  readSeal(id: TerminalId): Seal | undefined {
    const columns = this.#get("seal", id);
    return (
      columns && {
        sequence: Number(columns["sequence"]),
        digest: bytesIn(columns, "digest"),
        sealedAt: Number(columns["sealed_at"]),
      }
    );
  }

  listUnsealed(): TerminalId[] {
    return this.#reads.unsealed.all().flatMap(({ id }) => TerminalId.safeParse(id).data ?? []);
  }

  findSnapshot(id: TerminalId, atOrBefore: number): SnapshotRow | undefined {
    const columns = this.#get("snapshot", id, atOrBefore);
    return (
      columns && {
        sequence: Number(columns["sequence"]),
        cols: Number(columns["cols"]),
        rows: Number(columns["rows"]),
        state: bytesIn(columns, "state"),
      }
    );
  }

  readUsage(): Usage[] {
    return this.#reads.usage.all().flatMap((columns) => {
      const anchor = numberIn(columns, "anchor") ?? 0;
      const terminalId = TerminalId.safeParse(columns["id"]).data;
      if (terminalId === undefined) return [];
      return {
        terminalId,
        firstSequence: numberIn(columns, "first") ?? anchor + 1,
        lastSequence: numberIn(columns, "last") ?? anchor,
        dataBytes: numberIn(columns, "data_bytes") ?? 0,
        lastAt: numberIn(columns, "last_at") ?? Date.parse(String(columns["created_at"])),
        sealed: columns["sealed"] === 1,
      };
    });
  }

  findNewerThan(id: TerminalId, at: number): number | undefined {
    return numberIn(this.#get("newerThan", id, at), "sequence");
  }

  findEndOfBytes(id: TerminalId, dataBytes: number): number | undefined {
    return numberIn(this.#get("endOfBytes", id, dataBytes), "sequence");
  }

  readDataBytes(id: TerminalId, throughSequence: number): number {
    return numberIn(this.#get("dataBytes", id, throughSequence), "bytes") ?? 0;
  }

  readAudit({ after, limit }: AuditQuery): AuditRecord[] {
    const records: AuditRecord[] = [];
    for (const columns of iterateRows(this.#reads.audit, after)) {
      if (records.length >= limit) break;
      const record = decodeAuditRecord(columns);
      if (record) records.push(record);
    }
    return records;
  }

  findAuditBehind(kind: AuditKind, newerCount: number): number | undefined {
    return numberIn(this.#reads.auditBehind.get(encodeAuditKind(kind), newerCount), "sequence");
  }

  findDamage(): string | undefined {
    const found = this.#connection.prepare("PRAGMA integrity_check(1)").get()?.["integrity_check"];
    return found === "ok" ? undefined : String(found);
  }

  [Symbol.dispose](): void {
    this.#connection.close();
  }

  /**
   * The terminal's number in all tables; looked up each time, because another connection may reuse the id for another
   * terminal.
   */
  protected numberOf(id: TerminalId): number | undefined {
    return numberIn(this.#reads.number.get(id), "number");
  }

  #get(
    read: keyof Omit<ReturnType<typeof prepareReads>, "entries" | "terminals" | "newestTerminals">,
    id: TerminalId,
    ...values: readonly number[]
  ): Columns | undefined {
    const number = this.numberOf(id);
    return number === undefined ? undefined : this.#reads[read].get(number, ...values);
  }
}

/** As stored in the index. */
export const encodeAuditKind = (kind: AuditKind): number => (kind === "strangers" ? 1 : 0);

/** Lists skip a row that does not parse, so that it does not hide the others. */
function decodeReadableTerminal(columns: Columns): TerminalStorage | undefined {
  try {
    return decodeTerminal(columns);
  } catch {
    return undefined; // Reading this terminal by its id reports what is wrong.
  }
}

/** A statement that failed fails once more at its next use, whatever that is. */
function* iterateRows(statement: StatementSync, ...values: SQLInputValue[]): Generator<Columns> {
  try {
    yield* statement.iterate(...values);
  } catch (error) {
    clearFailure(statement, values);
    throw error;
  }
}

function clearFailure(statement: StatementSync, values: readonly SQLInputValue[]): void {
  try {
    statement.get(...values);
  } catch {
    // That next use.
  }
}

function numberIn(columns: Columns | undefined, name: string): number | undefined {
  const value = columns?.[name];
  return typeof value === "number" ? value : undefined;
}

function bytesIn(columns: Columns, name: string): Uint8Array<ArrayBuffer> {
  const value = columns[name];
  return value instanceof Uint8Array ? new Uint8Array(value) : new Uint8Array();
}

/** Not checked or repaired: damage breaks the hash chain and fails to decode. */
function decodeEntryRow(terminalId: TerminalId, columns: Columns): EntryRow {
  const { data, facts } = columns;
  return {
    terminalId,
    sequence: Number(columns["sequence"]),
    type: String(columns["type"]) as EntryType,
    at: Number(columns["at"]),
    elapsedMs: Number(columns["elapsed_ms"]),
    offset: numberIn(columns, "offset") ?? null,
    facts: typeof facts === "string" ? facts : null,
    data: data instanceof Uint8Array ? (data as Uint8Array<ArrayBuffer>) : null,
    hash: bytesIn(columns, "hash"),
  };
}
