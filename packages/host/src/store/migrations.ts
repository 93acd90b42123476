/** Terminals and their recordings. The number of a terminal is never given twice, so that nothing left behind can be taken for another's. */
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

/** Screens as of a sequence, saved to draw later ones quickly. They can be made anew from the recordings, so no chain covers them. */
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

/** Who did what. A place in the audit is never given twice; what happened before anybody was known is found apart, since it is kept apart. */
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

/** All schemas in order; number n leads from version n-1 to n. A published one is never changed. */
export const MIGRATIONS: readonly string[] = [FIRST_SCHEMA, SCREEN_SNAPSHOTS, AUDIT];
