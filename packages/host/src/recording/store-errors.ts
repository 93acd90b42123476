// Damage is reported with the recording's name, and all others are served.
import { NacreError, TerminalId } from "@nacre/contracts";
import type { RecordingsOptions } from "./recording-workers.ts";

// Which store failures are the disk's.
/** Primary result codes of SQLite that are not the data's fault. */
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

/** SQLITE_CORRUPT and SQLITE_NOTADB. */
const DAMAGE_CODES: ReadonlySet<number> = new Set([11, 26]);

export function isDamage(error: unknown): boolean {
  const code = sqliteCodeOf(error);
  return code !== undefined && DAMAGE_CODES.has(code);
}

export const isDiskFull = (error: unknown): boolean => sqliteCodeOf(error) === SQLITE_FULL;

/** Every other write would fail for the same reason. */
export function isDiskProblem(error: unknown): boolean {
  const code = sqliteCodeOf(error);
  return code !== undefined && DISK_PROBLEM_CODES.has(code);
}

const SUGGESTION =
  "Run `nacre verify` to see which entries are good, and `nacre export --to` with the last of them.";

/** `recording_damaged`, or the error itself. */
export function toDamageError(error: unknown, terminalId: TerminalId): unknown {
  return error instanceof NacreError || !isDamage(error)
    ? error
    : damagedRecording(error, terminalId);
}

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

/** The store is damaged as a whole, or the error itself. */
export function toStoreDamageError(error: unknown, path: string): unknown {
  if (!isDamage(error)) return error;
  const reason = error instanceof Error ? error.message : String(error);
  const message = `the store ${path} is damaged and cannot be opened: ${reason}; nothing was changed`;
  return new NacreError("recording_damaged", message, {
    cause: error,
    suggestion: `Put a copy of it back, or move ${path}* elsewhere to begin anew: then programs that still run are ended, since no terminal knows them.`,
  });
}

/** Damage names the recording. */
export function readRecording<Result>(terminalId: TerminalId, read: () => Result): Result {
  try {
    return read();
  } catch (error) {
    throw toDamageError(error, terminalId);
  }
}

/** Reports each damaged recording once. */
export class DamagedRecordings {
  readonly #options: Pick<RecordingsOptions, "handleDamage">;
  readonly #ids = new Set<TerminalId>();

  constructor(options: Pick<RecordingsOptions, "handleDamage">) {
    this.#options = options;
  }

  get count(): number {
    return this.#ids.size;
  }

  readonly note = (error: unknown): void => {
    if (!(error instanceof NacreError) || error.code !== "recording_damaged") return;
    const { data: terminalId } = TerminalId.safeParse(error.details?.["terminalId"]);
    if (terminalId === undefined || this.#ids.has(terminalId)) return;
    this.#ids.add(terminalId);
    this.#options.handleDamage?.(terminalId, error);
  };
}
