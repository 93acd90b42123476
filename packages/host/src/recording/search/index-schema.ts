/** The form of the index; an index of another form is made anew, so a change of anything that is kept needs another number. */
export const INDEX_FORMAT = 2;

/** The search index: a projection in a file of its own, made anew from the recordings whenever it is missing or damaged. */
export const INDEX_SCHEMA = `
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
