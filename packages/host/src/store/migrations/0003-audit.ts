/** Who did what. A place in the audit is never given twice; what happened before anybody was known is found apart, since it is kept apart. */
export const AUDIT = `
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
