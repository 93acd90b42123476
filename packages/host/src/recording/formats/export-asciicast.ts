import { constants } from "node:os";
import { DEFAULT_SIZE, MAX_TITLE_LENGTH, type Size, type Timestamp } from "@nacre/contracts";
import type { RecordedEntry } from "../recorded-entry.ts";
import {
  cutText,
  encodePieces,
  MAX_HEADER_COMMAND_LENGTH,
  MAX_LABEL_LENGTH,
  toJsonText,
  toOneLine,
} from "./format-text.ts";

/** What shells add to the number of a signal to make an exit status of it. */
const SIGNAL_STATUS = 128;

const signalNumbers = new Map<string, number>(Object.entries(constants.signals));

/** How a program ended, as far as known. */
interface ExitFacts {
  readonly exitCode: number | null;
  readonly signal?: string | undefined;
}

/** The end of a program as one number, as shells count; nothing when nobody saw it end. */
function toExitStatus({ exitCode, signal }: ExitFacts): number | undefined {
  if (exitCode !== null) return exitCode;
  const number = signal === undefined ? undefined : signalNumbers.get(signal);
  return number === undefined ? undefined : SIGNAL_STATUS + number;
}

/** The kinds of event of asciicast that we write: output, input, resize, marker, exit. */
type CastCode = "o" | "i" | "r" | "m" | "x";

/** One event of asciicast, at its time since the header. */
interface CastEvent {
  readonly elapsedMs: number;
  readonly code: CastCode;
  readonly data: string;
}

type GapEntry = Extract<RecordedEntry, { readonly type: "gap" }>;
type OutputEntry = Extract<RecordedEntry, { readonly type: "output" }>;

const describeBytes = (byteCount: number | null | undefined): string =>
  byteCount === null || byteCount === undefined
    ? "an unknown number of bytes"
    : `${byteCount} ${byteCount === 1 ? "byte" : "bytes"}`;

const gapLabel = ({ lostBytes, reason }: GapEntry): string =>
  `${describeBytes(lostBytes)} of output missing (${reason})`;

const purgedLabel = ({ lengthBytes }: OutputEntry): string =>
  `${describeBytes(lengthBytes)} of output removed`;

/** Keeps a byte order mark, which in the middle of output is an ordinary character. */
const textDecoder = () => new TextDecoder("utf-8", { ignoreBOM: true });

/** Says entry by entry which events of asciicast a Recording becomes; a character split over entries goes whole into the later event. */
class CastEvents {
  readonly #withInput: boolean;
  readonly #output = textDecoder();
  readonly #input = textDecoder();
  #elapsedMs = 0;

  constructor(withInput: boolean) {
    this.#withInput = withInput;
  }

  /** The events of the next entry. */
  *of(entry: RecordedEntry): Generator<CastEvent> {
    // Never backwards, whatever the clock of the recording did: players cannot go there.
    this.#elapsedMs = Math.max(this.#elapsedMs, entry.elapsedMs);
    switch (entry.type) {
      case "output":
        if (entry.data !== undefined) return yield* this.#outputOf(entry.data);
        yield* this.#endOfOutput();
        return yield this.#marker(purgedLabel(entry));
      case "input":
        if (!this.#withInput) return;
        // What is withheld is not even hinted at: one marker per key typed would tell the length of a password.
        return yield* this.#inputOf(entry.data);
      case "resize":
        return yield this.#event("r", `${entry.cols}x${entry.rows}`);
      case "command":
        return yield this.#marker(entry.commandLine);
      case "marker":
        return yield this.#marker(entry.label);
      case "gap":
        // No character goes on behind missing bytes.
        yield* this.#endOfOutput();
        return yield this.#marker(gapLabel(entry));
      case "exit": {
        if (entry.drained !== false) yield* this.end();
        const status = toExitStatus(entry);
        if (status !== undefined) yield this.#event("x", String(status));
        return;
      }
      case "header":
      case "commandEnd":
      case "claim":
      case "title":
      case "cwd":
      case "clear":
        return;
    }
  }

  /** What is left when no more entries come: the beginning of a character that never ended. */
  *end(): Generator<CastEvent> {
    yield* this.#endOfOutput();
    yield* this.#parts("i", this.#input.decode());
  }

  *#outputOf(data: Uint8Array): Generator<CastEvent> {
    yield* this.#parts("o", this.#output.decode(data, { stream: true }));
  }

  *#endOfOutput(): Generator<CastEvent> {
    yield* this.#parts("o", this.#output.decode());
  }

  *#inputOf(data: Uint8Array | undefined): Generator<CastEvent> {
    yield* this.#parts("i", this.#input.decode(data, { stream: data !== undefined }));
  }

  *#parts(code: "o" | "i", text: string): Generator<CastEvent> {
    for (const part of cutText(text)) yield this.#event(code, part);
  }

  #marker(label: string): CastEvent {
    return this.#event("m", toOneLine(label, MAX_LABEL_LENGTH));
  }

  #event(code: CastCode, data: string): CastEvent {
    return { elapsedMs: this.#elapsedMs, code, data };
  }
}

/** What the header of a cast says about the Terminal and its entries do not. */
interface CastTerminal {
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
class CastWriter {
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

export interface AsciicastOptions {
  readonly terminal: CastTerminal;
  /** 3 when absent. */
  readonly version?: 2 | 3 | undefined;
  /** Input is left out unless asked for, because people type secrets. */
  readonly input?: boolean | undefined;
}

function* writeCastLines(
  entries: Iterable<RecordedEntry>,
  { terminal, version = 3, input = false }: AsciicastOptions,
): Generator<string> {
  const events = new CastEvents(input);
  const writer = new CastWriter(terminal, version);
  for (const entry of entries) {
    if (writer.takesAsBeginning(entry)) continue;
    for (const event of events.of(entry)) yield writer.write(event);
  }
  for (const event of events.end()) yield writer.write(event);
  yield writer.header();
}

/** Writes a Recording as asciicast, for players; entries removed from its beginning do not make anybody wait. */
export const exportAsciicast = (
  entries: Iterable<RecordedEntry>,
  options: AsciicastOptions,
): Generator<Uint8Array<ArrayBuffer>> => encodePieces(writeCastLines(entries, options));
