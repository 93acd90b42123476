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

/** Shells report 128 + the signal's number. */
const SIGNAL_STATUS = 128;

const signalNumbers = new Map<string, number>(Object.entries(constants.signals));

interface ExitFacts {
  readonly exitCode: number | null;
  readonly signal?: string | undefined;
}

/** As shells do; undefined when nobody saw it end. */
function toExitStatus({ exitCode, signal }: ExitFacts): number | undefined {
  if (exitCode !== null) return exitCode;
  const number = signal === undefined ? undefined : signalNumbers.get(signal);
  return number === undefined ? undefined : SIGNAL_STATUS + number;
}

/** Output, input, resize, marker, exit. */
type CastCode = "o" | "i" | "r" | "m" | "x";

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

/** Keeps a BOM, which inside output is an ordinary character. */
const textDecoder = () => new TextDecoder("utf-8", { ignoreBOM: true });

/** Converts entries to asciicast events; a character split across entries goes whole into the later event. */
class CastEvents {
  readonly #withInput: boolean;
  readonly #output = textDecoder();
  readonly #input = textDecoder();
  #elapsedMs = 0;

  constructor(withInput: boolean) {
    this.#withInput = withInput;
  }

  *of(entry: RecordedEntry): Generator<CastEvent> {
    // Never backwards, whatever the clock did: players cannot seek there.
    this.#elapsedMs = Math.max(this.#elapsedMs, entry.elapsedMs);
    switch (entry.type) {
      case "output":
        if (entry.data !== undefined) return yield* this.#outputOf(entry.data);
        yield* this.#endOfOutput();
        return yield this.#marker(purgedLabel(entry));
      case "input":
        if (!this.#withInput) return;
        // Withheld input leaves no trace: one marker per key would reveal the length of a password.
        return yield* this.#inputOf(entry.data);
      case "resize":
        return yield this.#event("r", `${entry.cols}x${entry.rows}`);
      case "command":
        return yield this.#marker(entry.commandLine);
      case "marker":
        return yield this.#marker(entry.label);
      case "gap":
        // No character continues after missing bytes.
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

  /** An incomplete character at the end. */
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

/** Header fields that the entries do not contain. */
interface CastTerminal {
  readonly createdAt: Timestamp;
  readonly title?: string | undefined;
  readonly command?: string | undefined;
  /** Used when the entry with the size was removed; default 80×24. */
  readonly size?: Size | undefined;
  /** `idle_time_limit`, in seconds. */
  readonly idleTimeLimit?: number | undefined;
}

/** In integers, without floating-point noise. */
function formatSeconds(durationMs: number): string {
  const seconds = Math.floor(durationMs / 1000);
  const thousandths = String(durationMs % 1000).padStart(3, "0");
  // Keeps one decimal: some readers require a float.
  return `${seconds}.${thousandths.replace(/0{1,2}$/, "")}`;
}

/** Writes the lines of a cast; the header comes with the first event, when the size is known as well as it can be. */
class CastWriter {
  readonly #terminal: CastTerminal;
  readonly #version: 2 | 3;
  #size: Size | undefined;
  /** Elapsed time that counts as zero. */
  #originMs: number | undefined;
  #previousMs = 0;
  #hasHeader = false;

  constructor(terminal: CastTerminal, version: 2 | 3) {
    this.#terminal = terminal;
    this.#version = version;
  }

  /** Takes time zero from the first entry and the size from the first one that has it; such an entry has no event. */
  takesAsBeginning(entry: RecordedEntry): boolean {
    if (this.#originMs === undefined) {
      // Where older entries were removed, playback does not wait for their time.
      this.#originMs = entry.sequence === 1 ? 0 : entry.elapsedMs;
      this.#previousMs = this.#originMs;
    }
    if (this.#size !== undefined) return false;
    if (entry.type !== "header" && entry.type !== "resize") return false;
    this.#size = { cols: entry.cols, rows: entry.rows };
    return true;
  }

  write({ elapsedMs, code, data }: CastEvent): string {
    const header = this.header();
    const { time, atMs } = this.#timeOf(elapsedMs);
    this.#previousMs = atMs;
    // asciicast v2 has no exit event.
    const [writtenCode, writtenData] =
      code === "x" && this.#version === 2 ? ["m", `exit ${data}`] : [code, data];
    return `${header}[${time},"${writtenCode}",${toJsonText(writtenData)}]\n`;
  }

  /** Empty when already written. */
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
  /** Default 3. */
  readonly version?: 2 | 3 | undefined;
  /** Default false, because people type secrets. */
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

/** Removed entries at the beginning leave no pause. */
export const exportAsciicast = (
  entries: Iterable<RecordedEntry>,
  options: AsciicastOptions,
): Generator<Uint8Array<ArrayBuffer>> => encodePieces(writeCastLines(entries, options));
