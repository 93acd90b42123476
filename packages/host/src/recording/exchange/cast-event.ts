import type { RecordedEntry } from "../recorded-entry.ts";
import { cutText } from "./event-cut.ts";
import { toExitStatus } from "./exit-status.ts";
import { MAX_LABEL_LENGTH, toOneLine } from "./one-line.ts";

/** The kinds of event of asciicast that we write: output, input, resize, marker, exit. */
type CastCode = "o" | "i" | "r" | "m" | "x";

/** One event of asciicast, at its time since the header. */
export interface CastEvent {
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
export class CastEvents {
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
