import type { DatabaseSync } from "node:sqlite";

const TERMINAL = `SELECT number, id, owner_name, owner_id, owner_attributes, working_directory, name, command, args, created_at FROM terminal`;

const ENTRIES = `SELECT sequence, type, at, elapsed_ms, offset, facts, hash, data FROM terminal_recording_entry
  WHERE terminal = ?1 AND sequence > ?2 AND sequence < ?3
    AND (?4 IS NULL OR type IN (SELECT value FROM json_each(?4)))`;

const FORWARDS = "ORDER BY sequence LIMIT ?5";
const BACKWARDS = "ORDER BY sequence DESC LIMIT ?5";

/** Lets SQLite use the index of what is not output. */
const BESIDE_OUTPUT = "AND type <> 'output'";

const LAST = "FROM terminal_recording_entry WHERE terminal = ?1 ORDER BY sequence DESC LIMIT 1";

/** Prepares what can be read of a store, once per connection. */
export function prepareReads(database: DatabaseSync) {
  const entries = (order: string) => ({
    all: database.prepare(`${ENTRIES} ${order}`),
    besideOutput: database.prepare(`${ENTRIES} ${BESIDE_OUTPUT} ${order}`),
  });
  // Each a statement of its own, so that the index of owners is used where an owner is asked for.
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
