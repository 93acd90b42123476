import { closeSync, constants, fstatSync, openSync, renameSync, writeSync } from "node:fs";
import { join } from "node:path";
import { NacreError } from "@nacre/contracts";
import { diskFullError, isOutOfSpace } from "../base/disk-full.ts";
import type { Config } from "../config/config.ts";
import { isOwnFile } from "./private-directory.ts";

/** Credentials of every kind, and what follows the names they travel under. */
const SECRET =
  /\b(?:nacre_|term-|nacre\.bearer\.)[A-Za-z0-9_-]{16,}|(?<=\b(?:token|tkn|ticket|apiKey|wsToken)"?\s{0,3}[=:]\s{0,3}"?)[^\s"&#]{6,}|(?<=\bBearer\s{1,3})[^\s"]{6,}/gi;

function scrubText(text: string): string {
  return text.replaceAll(SECRET, "[hidden]");
}

export type LogLevel = Config["logLevel"];

/** The only fields of a line; never what somebody sent. */
export interface LogFields {
  readonly terminalId?: string | undefined;
  readonly callerId?: string | undefined;
  readonly operation?: string | undefined;
  readonly via?: string | undefined;
  readonly peer?: string | undefined;
  readonly code?: string | undefined;
  readonly reason?: string | undefined;
  readonly part?: string | undefined;
  readonly state?: string | undefined;
  readonly signal?: string | undefined;
  readonly address?: string | undefined;
  readonly path?: string | undefined;
  readonly version?: string | undefined;
  readonly pid?: number | undefined;
  readonly count?: number | undefined;
  readonly bytes?: number | undefined;
  readonly durationMs?: number | undefined;
  /** Kind, message and origin, scrubbed of secrets. */
  readonly error?: unknown;
}

/** Beside the file; standard error, except in tests. */
export type LogSink = (line: string) => void;

export interface LogOptions {
  /** Contains `daemon.log`. */
  readonly state: string;
  readonly level: LogLevel;
  readonly sink?: LogSink | undefined;
  /** Beyond this many bytes the file is put aside, in the place of the one put aside before. */
  readonly maxBytes?: number;
}

const LEVELS: readonly LogLevel[] = ["debug", "info", "warn", "error"];

const FIELDS = (
  "terminalId callerId operation via peer code reason part state signal " +
  "address path version pid count bytes durationMs"
).split(" ") as (keyof LogFields)[];

/** Two are kept: enough for weeks, too little to fill a disk. */
const MAX_FILE_BYTES = 8 * 1024 * 1024;

/** Nothing of ours is longer, except a stack. */
const MAX_TEXT_LENGTH = 4096;

const OWNER_ONLY = 0o600;
const OTHERS = 0o077;

/** JSON lines about what the daemon does, in a private file and on standard error. */
export class Log implements Disposable {
  readonly #path: string;
  readonly #least: number;
  readonly #sink: LogSink;
  readonly #maxBytes: number;
  #fd: number | undefined;
  #bytes: number;
  #isTorn = false;
  #isClosed = false;

  constructor({
    state,
    level,
    sink = writeToStandardError,
    maxBytes = MAX_FILE_BYTES,
  }: LogOptions) {
    this.#path = join(state, "daemon.log");
    this.#least = LEVELS.indexOf(level);
    this.#sink = sink;
    this.#maxBytes = maxBytes;
    this.#fd = openPrivately(this.#path);
    this.#bytes = fstatSync(this.#fd).size;
  }

  debug(message: string, fields?: LogFields): void {
    this.#write("debug", message, fields);
  }

  info(message: string, fields?: LogFields): void {
    this.#write("info", message, fields);
  }

  warn(message: string, fields?: LogFields): void {
    this.#write("warn", message, fields);
  }

  error(message: string, fields?: LogFields): void {
    this.#write("error", message, fields);
  }

  [Symbol.dispose](): void {
    if (this.#fd !== undefined) closeSync(this.#fd);
    this.#fd = undefined;
    this.#isClosed = true;
  }

  #write(level: LogLevel, message: string, fields: LogFields = {}): void {
    if (LEVELS.indexOf(level) < this.#least) return;
    const line = `${JSON.stringify({
      at: new Date().toISOString(),
      level,
      message: scrub(message),
      ...cleanFields(fields),
      ...(fields.error === undefined ? {} : { error: describeError(fields.error) }),
    })}\n`;
    this.#sink(line);
    this.#append(Buffer.from(line));
  }

  #append(bytes: Buffer): void {
    if (this.#isClosed) return;
    try {
      if (this.#bytes + bytes.length > this.#maxBytes) this.#rotate();
      // A file that could not be opened on a full disk is retried.
      this.#fd ??= openPrivately(this.#path);
      // A line cut by a full disk must not spoil the next one.
      const line = this.#isTorn ? Buffer.concat([Buffer.from("\n"), bytes]) : bytes;
      // Synchronous: a line about the end must be there after it.
      const written = writeSync(this.#fd, line);
      this.#bytes += written;
      if (written > 0) this.#isTorn = written < line.length;
    } catch {
      // A full disk must not end the daemon because of a line; standard error has it.
    }
  }

  #rotate(): void {
    if (this.#fd !== undefined) closeSync(this.#fd);
    this.#fd = undefined;
    renameSync(this.#path, `${this.#path}.1`);
    this.#bytes = 0;
    this.#isTorn = false;
    this.#fd = openPrivately(this.#path);
  }
}

function openPrivately(path: string): number {
  const { O_WRONLY, O_APPEND, O_CREAT, O_NOFOLLOW, O_NONBLOCK } = constants;
  let fd: number | undefined;
  try {
    fd = openSync(path, O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK, OWNER_ONLY);
    const stats = fstatSync(fd);
    const isPrivate = isOwnFile(stats) && stats.nlink === 1 && (stats.mode & OTHERS) === 0;
    if (stats.isFile() && isPrivate) return fd;
    throw new Error("not a plain file of ours");
  } catch (cause) {
    if (fd !== undefined) closeSync(fd);
    if (isOutOfSpace(cause)) throw diskFullError(cause, path);
    throw new NacreError("forbidden", `the log ${path} cannot be written to`, {
      cause,
      suggestion: "Find out what is there, then remove it.",
    });
  }
}

function cleanFields(fields: LogFields): Record<string, string | number> {
  const cleaned: Record<string, string | number> = {};
  for (const name of FIELDS) {
    const value = fields[name];
    if (typeof value === "string") cleaned[name] = scrub(value);
    if (typeof value === "number") cleaned[name] = value;
  }
  return cleaned;
}

function describeError(error: unknown): Record<string, string> {
  if (!(error instanceof Error)) return { name: typeof error };
  const code = "code" in error ? { code: scrub(String(error.code)) } : {};
  // A stack matters only for unexpected errors.
  const stack = error instanceof NacreError ? {} : { stack: formatStack(error) };
  return { name: error.name, ...code, message: scrub(error.message), ...stack };
}

const formatStack = ({ stack = "" }: Error): string =>
  scrub(
    stack
      .split("\n")
      .filter((line) => /^\s+at /.test(line))
      .join("\n"),
  );

const scrub = (text: string): string => scrubText(text.slice(0, MAX_TEXT_LENGTH));

/** People at a terminal only want to hear of trouble; the file has the rest. */
function writeToStandardError(line: string): void {
  if (process.stderr.isTTY && /"level":"(?:debug|info)"/.test(line.slice(0, 64))) return;
  process.stderr.write(line);
}
