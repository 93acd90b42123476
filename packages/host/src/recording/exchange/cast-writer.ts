import { DEFAULT_SIZE, MAX_TITLE_LENGTH, type Size, type Timestamp } from "@nacre/contracts";
import type { RecordedEntry } from "../recorded-entry.ts";
import type { CastEvent } from "./cast-event.ts";
import { toJsonText } from "./json-text.ts";
import { MAX_HEADER_COMMAND_LENGTH, toOneLine } from "./one-line.ts";

/** What the header of a cast says about the Terminal and its entries do not. */
export interface CastTerminal {
  readonly createdAt: Timestamp;
  readonly title?: string | undefined;
  readonly command?: string | undefined;
  /** Stands in when the entry that had the size was removed; 80×24 when absent. */
  readonly size?: Size | undefined;
  /** Seconds that players wait at most while nothing happens. */
  readonly idleTimeLimit?: number | undefined;
}

/** Exact, where dividing would bring the noise of floating point. */
function formatSeconds(durationMs: number): string {
  const seconds = Math.floor(durationMs / 1000);
  const thousandths = String(durationMs % 1000).padStart(3, "0");
  // One decimal always stays: some readers want to see that it is not an integer.
  return `${seconds}.${thousandths.replace(/0{1,2}$/, "")}`;
}

/** Writes the lines of one cast; its header comes with the first event, when the size is known as well as it can be. */
export class CastWriter {
  readonly #terminal: CastTerminal;
  readonly #version: 2 | 3;
  #size: Size | undefined;
  /** The elapsed time that counts as zero. */
  #originMs: number | undefined;
  #previousMs = 0;
  #hasHeader = false;

  constructor(terminal: CastTerminal, version: 2 | 3) {
    this.#terminal = terminal;
    this.#version = version;
  }

  /** Takes the beginning of time from the first entry, and the size from the first that has one; such an entry has no event. */
  takesAsBeginning(entry: RecordedEntry): boolean {
    if (this.#originMs === undefined) {
      // Where older entries were removed, nobody shall wait for the time they took.
      this.#originMs = entry.sequence === 1 ? 0 : entry.elapsedMs;
      this.#previousMs = this.#originMs;
    }
    if (this.#size !== undefined) return false;
    if (entry.type !== "header" && entry.type !== "resize") return false;
    this.#size = { cols: entry.cols, rows: entry.rows };
    return true;
  }

  /** The line of the next event, and before the first the header. */
  write({ elapsedMs, code, data }: CastEvent): string {
    const header = this.header();
    const { time, atMs } = this.#timeOf(elapsedMs);
    this.#previousMs = atMs;
    // Players of version 2 do not know of exits.
    const [writtenCode, writtenData] =
      code === "x" && this.#version === 2 ? ["m", `exit ${data}`] : [code, data];
    return `${header}[${time},"${writtenCode}",${toJsonText(writtenData)}]\n`;
  }

  /** The header if it was not written yet. */
  header(): string {
    if (this.#hasHeader) return "";
    this.#hasHeader = true;
    this.#size ??= this.#terminal.size ?? DEFAULT_SIZE;
    return `${toJsonText(this.#headerFields(this.#size))}\n`;
  }

  #timeOf(elapsedMs: number): { time: string; atMs: number } {
    const atMs = Math.max(elapsedMs, this.#previousMs);
    const sinceMs = this.#version === 2 ? (this.#originMs ?? 0) : this.#previousMs;
    return { time: formatSeconds(atMs - sinceMs), atMs };
  }

  #headerFields({ cols, rows }: Size): object {
    const { createdAt, command, title, idleTimeLimit } = this.#terminal;
    const beganAtMs = Date.parse(createdAt) + (this.#originMs ?? 0);
    return {
      ...(this.#version === 2
        ? { version: 2, width: cols, height: rows }
        : { version: 3, term: { cols, rows } }),
      timestamp: Math.floor(beganAtMs / 1000),
      ...(idleTimeLimit !== undefined && { idle_time_limit: idleTimeLimit }),
      ...(command && { command: toOneLine(command, MAX_HEADER_COMMAND_LENGTH) }),
      ...(title && { title: toOneLine(title, MAX_TITLE_LENGTH) }),
    };
  }
}
