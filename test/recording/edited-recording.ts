import type { DatabaseSync } from "node:sqlite";
import {
  anchorDigest,
  firstLink,
  nextLink,
  sealDigest,
} from "../../packages/host/src/recording/chain.ts";
import { SqliteReader } from "../../packages/host/src/store/sqlite-reader.ts";
import type { EntryRow } from "../../packages/host/src/store/store.ts";
import { idOf } from "../support/numbered-entries.ts";
import type { SampleTerminal } from "./sample-store.ts";

/** A value of a column. */
export type Value = string | number | null | Uint8Array;

/** Far above all sequences, so that entries can be moved there and back. */
const ASIDE = 1_000_000;

/** The recording that an edit is made of, as the rows that somebody with the file can change. */
export class EditedRecording {
  readonly terminal: SampleTerminal;
  readonly number: number;
  readonly #database: DatabaseSync;

  constructor(database: DatabaseSync, terminal: SampleTerminal) {
    this.#database = database;
    this.terminal = terminal;
    const row = database
      .prepare("SELECT number FROM terminal WHERE id = ?")
      .get(idOf(terminal.uid));
    this.number = Number(row?.["number"]);
  }

  /** The sequence of the first entry that is kept, and of the last. */
  get first(): number {
    return this.terminal.trimmed + 1;
  }

  get last(): number {
    return this.terminal.last;
  }

  /** Any statement, with this recording's number as the first value. */
  run(sql: string, ...values: readonly Value[]): void {
    this.#database.prepare(sql).run(this.number, ...values);
  }

  readColumn(table: string, column: string, where = "", ...values: readonly Value[]): Value {
    const key = table === "terminal" ? "number" : "terminal";
    const sql = `SELECT ${column} AS value FROM ${table} WHERE ${key} = ? ${where}`;
    const value = this.#database.prepare(sql).get(this.number, ...values)?.["value"];
    return typeof value === "bigint" ? Number(value) : (value ?? null);
  }

  readEntry(sequence: number): EntryRow {
    const reader = new SqliteReader(this.#database);
    const query = {
      terminalId: idOf(this.terminal.uid),
      after: sequence - 1,
      limit: 1,
      maxBytes: 1,
    };
    const [row] = reader.readEntries(query);
    if (row?.sequence !== sequence) throw new Error(`there is no entry ${sequence}`);
    return row;
  }

  writeColumn(column: string, sequence: number, value: Value): void {
    const where = "WHERE terminal = ?1 AND sequence = ?2";
    this.run(`UPDATE terminal_recording_entry SET ${column} = ?3 ${where}`, sequence, value);
  }

  drop(sequence: number): void {
    this.run("DELETE FROM terminal_recording_entry WHERE terminal = ? AND sequence = ?", sequence);
  }

  /** Moves all entries from this one on by so many places. */
  shift(from: number, by: number): void {
    const table = "UPDATE terminal_recording_entry SET sequence = sequence";
    this.run(`${table} + ${ASIDE} WHERE terminal = ? AND sequence >= ?`, from);
    this.run(`${table} + ?2 - ${ASIDE} WHERE terminal = ?1 AND sequence > ${ASIDE}`, by);
  }

  swap(one: number, other: number): void {
    const move =
      "UPDATE terminal_recording_entry SET sequence = ?3 WHERE terminal = ?1 AND sequence = ?2";
    this.run(move, one, ASIDE);
    this.run(move, other, one);
    this.run(move, ASIDE, other);
  }

  /** Puts a copy of an entry somewhere, with the hash it has. */
  insertCopy(of: number, at: number): void {
    this.run(
      `INSERT INTO terminal_recording_entry (terminal, sequence, type, at, elapsed_ms, offset, facts, hash, data)
       SELECT terminal, ?3, type, at, elapsed_ms, offset, facts, hash, data
       FROM terminal_recording_entry WHERE terminal = ?1 AND sequence = ?2`,
      of,
      at,
    );
  }

  /** Gives these entries the hashes that fit, as somebody would who knows the form of the chain. */
  relink(from: number, through = from): void {
    for (let sequence = from; sequence <= through; sequence++) {
      const before = this.readEntry(sequence - 1).hash;
      this.writeColumn("hash", sequence, nextLink(before, this.readEntry(sequence)));
    }
  }

  /** Says that everything up to an entry was removed, as retention would. */
  declareRemoved(sequence: number): void {
    const { hash } = this.readEntry(sequence);
    const place = { sequence, hash, cols: 80, rows: 24 };
    const digest = anchorDigest(this.#firstLink(), place);
    this.run(
      "INSERT OR REPLACE INTO recording_anchor VALUES (?, ?, ?, 80, 24, ?)",
      sequence,
      hash,
      digest,
    );
  }

  /** Gives the seal the digest that fits, as somebody would who knows its form. */
  reseal(): void {
    const sealedAt = Number(this.readColumn("recording_seal", "sealed_at"));
    const end = { last: this.readEntry(this.last).hash, sequence: this.last, sealedAt };
    const digest = sealDigest({ first: this.#firstLink(), ...end });
    this.run("UPDATE recording_seal SET digest = ?2 WHERE terminal = ?1", digest);
  }

  #firstLink(): Uint8Array {
    const terminal = new SqliteReader(this.#database).readTerminal(idOf(this.terminal.uid));
    if (!terminal) throw new Error(`there is no ${this.terminal.uid}`);
    return firstLink(terminal);
  }
}
