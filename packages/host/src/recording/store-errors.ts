// What becomes of a recording whose files were damaged: it is told by name, and all others are served.
import { NacreError, TerminalId } from "@nacre/contracts";
import type { RecordingsOptions } from "./recording-workers.ts";

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

const SUGGESTION =
  "Run `nacre verify` to see which entries are good, and `nacre export --to` with the last of them.";

/** The failure of a read as its caller can act on it: a recording that is damaged, or what it was. */
export function toDamageError(error: unknown, terminalId: TerminalId): unknown {
  return error instanceof NacreError || !isDamage(error)
    ? error
    : damagedRecording(error, terminalId);
}

/** The failure to read a recording that is damaged. */
export function damagedRecording(error: unknown, terminalId: TerminalId): NacreError {
  const reason = error instanceof Error ? error.message : String(error);
  return new NacreError(
    "recording_damaged",
    `the recording of ${terminalId} is damaged: ${reason}`,
    {
      cause: error,
      suggestion: SUGGESTION,
      details: { terminalId },
    },
  );
}

/** The failure to open a store as its owner can act on it: one that is damaged as a whole, or what it was. */
export function toStoreDamageError(error: unknown, path: string): unknown {
  if (!isDamage(error)) return error;
  const reason = error instanceof Error ? error.message : String(error);
  const message = `the store ${path} is damaged and cannot be opened: ${reason}; nothing was changed`;
  return new NacreError("recording_damaged", message, {
    cause: error,
    suggestion: `Put a copy of it back, or move ${path}* elsewhere to begin anew: then programs that still run are ended, since no terminal knows them.`,
  });
}

/** Reads something of one recording; damage names it. */
export function readRecording<Result>(terminalId: TerminalId, read: () => Result): Result {
  try {
    return read();
  } catch (error) {
    throw toDamageError(error, terminalId);
  }
}

/** The recordings that were found to be damaged, each told of once. */
export class DamagedRecordings {
  readonly #options: Pick<RecordingsOptions, "handleDamage">;
  readonly #ids = new Set<TerminalId>();

  constructor(options: Pick<RecordingsOptions, "handleDamage">) {
    this.#options = options;
  }

  get count(): number {
    return this.#ids.size;
  }

  /** Looks whether a failure is that of a damaged recording. */
  readonly note = (error: unknown): void => {
    if (!(error instanceof NacreError) || error.code !== "recording_damaged") return;
    const { data: terminalId } = TerminalId.safeParse(error.details?.["terminalId"]);
    if (terminalId === undefined || this.#ids.has(terminalId)) return;
    this.#ids.add(terminalId);
    this.#options.handleDamage?.(terminalId, error);
  };
}
