// Which failures of a store are the disk's.
/** SQLite's primary result codes, below which more precise ones hang, for which not the data is to blame. */
const SQLITE_FULL = 13;
const DISK_PROBLEM_CODES: ReadonlySet<number> = new Set([
  5, // busy
  6, // locked
  7, // no memory
  8, // read only
  10, // input or output failed
  SQLITE_FULL,
  14, // cannot open
  15, // locking protocol
  26, // not a database
]);

function sqliteCodeOf(error: unknown): number | undefined {
  return error instanceof Error && "errcode" in error ? Number(error.errcode) % 256 : undefined;
}

/** What SQLite says of a file that was damaged, and of one that is none of its own. */
const DAMAGE_CODES: ReadonlySet<number> = new Set([11, 26]);

/** True when a file cannot be read because of what is in it. */
export function isDamage(error: unknown): boolean {
  const code = sqliteCodeOf(error);
  return code !== undefined && DAMAGE_CODES.has(code);
}

/** True when there was no room for a change. */
export const isDiskFull = (error: unknown): boolean => sqliteCodeOf(error) === SQLITE_FULL;

/** True when a change failed for a reason that all others would fail for, too. */
export function isDiskProblem(error: unknown): boolean {
  const code = sqliteCodeOf(error);
  return code !== undefined && DISK_PROBLEM_CODES.has(code);
}
