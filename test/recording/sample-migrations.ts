// Migrations as later versions may have them: tables, columns, indexes, and rows that are moved.
import type { DatabaseSync } from "node:sqlite";
import {
  migrate,
  openDatabase,
  readVersion,
} from "../../packages/host/src/store/sqlite-database.ts";

/** Each migration is a list of statements. */
const STATEMENTS: readonly (readonly string[])[] = [
  [
    "CREATE TABLE person (id INTEGER PRIMARY KEY, name TEXT NOT NULL) STRICT",
    "INSERT INTO person (name) SELECT 'person ' || value FROM generate_rows",
  ],
  [
    "ALTER TABLE person ADD COLUMN age INTEGER",
    "UPDATE person SET age = id * 3 % 90",
    "CREATE INDEX person_of_age ON person (age)",
  ],
  [
    "CREATE TABLE household (id INTEGER PRIMARY KEY, size INTEGER NOT NULL) STRICT",
    "INSERT INTO household (size) SELECT count(*) FROM person GROUP BY age",
    "CREATE TABLE inhabitant (id INTEGER PRIMARY KEY, name TEXT NOT NULL, age INTEGER) STRICT",
    "INSERT INTO inhabitant SELECT id, name, age FROM person",
    "DROP INDEX person_of_age",
    "DROP TABLE person",
  ],
];

/** Enough rows for a migration to change many pages. */
const ROWS =
  "(WITH RECURSIVE n (value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM n WHERE value < 500) SELECT value FROM n)";

/** The version that stores have before the migration that is looked at. */
const OLD_VERSION = 1;

/** How many points there are at which it can end: one before each statement, and one after the last. */
export const STATEMENT_POINTS =
  STATEMENTS.slice(OLD_VERSION).reduce((sum, statements) => sum + statements.length, 0) + 1;

/** The migrations, with a call of `point` before each statement that leads from the old version to the new one. */
function withPoints(): string[] {
  let point = 0;
  return STATEMENTS.map((statements, version) => {
    const plain = statements.map((statement) => statement.replace("generate_rows", ROWS));
    if (version < OLD_VERSION) return plain.join(";");
    const pointed = plain.map((statement) => `SELECT point(${++point}); ${statement}`);
    const last = version === STATEMENTS.length - 1 ? `; SELECT point(${++point})` : "";
    return pointed.join(";") + last;
  });
}

/** Makes a database of the old version. */
export function makeOld(path: string): void {
  const database = openDatabase(path);
  migrate(database, withPoints().slice(0, OLD_VERSION));
  database.close();
}

/** Brings a database to the new version; each point is told on the way. */
export function migrateToNew(database: DatabaseSync, handlePoint: (point: number) => void): void {
  database.function("point", (point) => {
    handlePoint(Number(point));
    return null;
  });
  migrate(database, withPoints());
}

/** All that is in a database: its version, its schema and its rows. */
export function dump(database: DatabaseSync): string {
  const schema = database.prepare("SELECT name, sql FROM sqlite_schema ORDER BY name").all();
  const tables = database
    .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name")
    .all();
  const rows = tables.map(({ name }) => database.prepare(`SELECT * FROM "${String(name)}"`).all());
  return JSON.stringify([readVersion(database), schema, rows]);
}
