/** Screens as of a sequence, saved to draw later ones quickly. They can be made anew from the recordings, so no chain covers them. */
export const SCREEN_SNAPSHOTS = `
CREATE TABLE screen_snapshot (
  terminal INTEGER NOT NULL REFERENCES terminal (number) ON DELETE CASCADE,
  sequence INTEGER NOT NULL CHECK (sequence > 0),
  cols     INTEGER NOT NULL,
  rows     INTEGER NOT NULL,
  state    BLOB NOT NULL,
  UNIQUE (terminal, sequence)
) STRICT;
`;
