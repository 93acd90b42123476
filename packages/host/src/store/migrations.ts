/** AUTOINCREMENT: a terminal's number is never reused, so leftovers cannot belong to another. */
export const FIRST_SCHEMA = `
CREATE TABLE terminal (
  number            INTEGER PRIMARY KEY AUTOINCREMENT,
  id                TEXT NOT NULL UNIQUE,
  owner_name        TEXT NOT NULL,
  owner_id          TEXT NOT NULL,
  owner_attributes  TEXT,
  working_directory TEXT NOT NULL,
  name              TEXT,
  command           TEXT,
  args              TEXT,
  created_at        TEXT NOT NULL
) STRICT;

CREATE INDEX terminal_of_owner ON terminal (owner_name, owner_id);

CREATE TABLE terminal_recording_entry (
  terminal   INTEGER NOT NULL REFERENCES terminal (number) ON DELETE CASCADE,
  sequence   INTEGER NOT NULL CHECK (sequence > 0),
  type       TEXT NOT NULL,
  at         INTEGER NOT NULL,
  elapsed_ms INTEGER NOT NULL,
  offset     INTEGER,
  facts      TEXT,
  hash       BLOB NOT NULL,
  data       BLOB,
  UNIQUE (terminal, sequence)
) STRICT;

-- Output is most of a recording; this finds the rest without reading through it.
CREATE INDEX entry_beside_output ON terminal_recording_entry (terminal, sequence) WHERE type <> 'output';

-- Which group of changes was committed last.
CREATE TABLE last_group (
  id    INTEGER PRIMARY KEY CHECK (id = 1),
  token INTEGER NOT NULL
) STRICT;
INSERT INTO last_group VALUES (1, 0);

CREATE TABLE recording_anchor (
  terminal INTEGER PRIMARY KEY REFERENCES terminal (number) ON DELETE CASCADE,
  sequence INTEGER NOT NULL,
  hash     BLOB NOT NULL,
  cols     INTEGER NOT NULL,
  rows     INTEGER NOT NULL,
  digest   BLOB NOT NULL
) STRICT;

CREATE TABLE recording_seal (
  terminal  INTEGER PRIMARY KEY REFERENCES terminal (number) ON DELETE CASCADE,
  sequence  INTEGER NOT NULL,
  digest    BLOB NOT NULL,
  sealed_at INTEGER NOT NULL
) STRICT;
`;

/** Snapshots speed up later screens. They can be rebuilt from the recordings, so no hash chain covers them. */
const SCREEN_SNAPSHOTS = `
CREATE TABLE screen_snapshot (
  terminal INTEGER NOT NULL REFERENCES terminal (number) ON DELETE CASCADE,
  sequence INTEGER NOT NULL CHECK (sequence > 0),
  cols     INTEGER NOT NULL,
  rows     INTEGER NOT NULL,
  state    BLOB NOT NULL,
  UNIQUE (terminal, sequence)
) STRICT;
`;

/**
 * The audit. Sequences are never reused; records of unauthenticated requests are indexed apart because they are
 * retained apart.
 */
const AUDIT = `
CREATE TABLE audit (
  sequence    INTEGER PRIMARY KEY AUTOINCREMENT,
  occurred_at TEXT NOT NULL,
  caller      TEXT,
  scope       TEXT,
  via         TEXT NOT NULL,
  peer        TEXT,
  action      TEXT NOT NULL,
  terminal_id TEXT,
  outcome     TEXT NOT NULL,
  facts       TEXT
) STRICT;

CREATE INDEX audit_of_strangers ON audit (caller IS NULL);
`;

/** In order: number n leads from version n-1 to n. Never change a published one. */
export const MIGRATIONS: readonly string[] = [FIRST_SCHEMA, SCREEN_SNAPSHOTS, AUDIT];
