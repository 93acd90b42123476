import { type CallerId, lengthBucketOf } from "@nacre/contracts";
import type { FactOf } from "./recorded-entry.ts";

/** `lines`: whole lines only; `counts`: only that something was typed. */
export type InputRecording = "full" | "lines" | "counts" | "off";

export interface InputChunk {
  readonly data: Uint8Array<ArrayBuffer>;
  readonly by?: CallerId | undefined;
  readonly literal?: boolean | undefined;
  /** Decided by whoever types, from the facts of the moment. */
  readonly isSecret: boolean;
}

/** Bounds a line that never ends. */
const MAX_LINE_BYTES = 64 * 1024;

const CARRIAGE_RETURN = 0x0d;
const LINE_FEED = 0x0a;

interface PendingLine {
  readonly kind: "line" | "secret";
  readonly by: CallerId | undefined;
  readonly pieces: Uint8Array<ArrayBuffer>[];
  byteCount: number;
}

/** Decides what is recorded of a terminal's input; the bytes of a secret leave it in no form. */
export class InputRedactor {
  readonly #policy: InputRecording;
  #open: PendingLine | undefined;

  constructor(policy: InputRecording) {
    this.#policy = policy;
  }

  /** Except secrets. */
  get keepsBytes(): boolean {
    return this.#policy === "full" || this.#policy === "lines";
  }

  /** What to record now; a line or secret that is still being typed comes with its end. */
  take(input: InputChunk): FactOf<"input">[] {
    if (this.#policy === "off" || input.data.byteLength === 0) return [];
    if (input.isSecret) return this.#gather("secret", input);
    if (this.#policy === "lines") return this.#gather("line", input);
    const before = this.flush();
    if (this.#policy === "counts")
      return [...before, toRedactedFact(input.by, input.data.byteLength)];
    return [...before, toInputFact(input)];
  }

  /** What was typed and will not be ended any more. */
  flush(): FactOf<"input">[] {
    const open = this.#open;
    this.#open = undefined;
    if (!open || open.byteCount === 0) return [];
    if (open.kind === "secret") return [toRedactedFact(open.by, open.byteCount)];
    return [toInputFact({ data: concatenate(open), by: open.by })];
  }

  /** The keys of one secret are counted together: entries per key would reveal its length. */
  #gather(kind: PendingLine["kind"], { data, by }: InputChunk): FactOf<"input">[] {
    const isSame = this.#open?.kind === kind && this.#open.by === by;
    const isLong = (this.#open?.byteCount ?? 0) + data.byteLength > MAX_LINE_BYTES;
    const before = isSame && !(isLong && kind === "line") ? [] : this.flush();
    const open = (this.#open ??= { kind, by, pieces: [], byteCount: 0 });
    // The sender may reuse its buffer before the line ends.
    if (kind === "line") open.pieces.push(data.slice());
    open.byteCount += data.byteLength;
    const isEnded = data.includes(CARRIAGE_RETURN) || data.includes(LINE_FEED);
    return isEnded || open.byteCount >= MAX_LINE_BYTES ? [...before, ...this.flush()] : before;
  }
}

function concatenate({ pieces, byteCount }: PendingLine): Uint8Array<ArrayBuffer> {
  const [only] = pieces;
  if (only && pieces.length === 1) return only;
  const all = new Uint8Array(byteCount);
  let end = 0;
  for (const piece of pieces) {
    all.set(piece, end);
    end += piece.byteLength;
  }
  return all;
}

function toInputFact(input: Pick<InputChunk, "data" | "by" | "literal">): FactOf<"input"> {
  return {
    type: "input",
    ...(input.by === undefined ? {} : { by: input.by }),
    ...(input.literal === undefined ? {} : { literal: input.literal }),
    data: input.data,
  };
}

function toRedactedFact(by: CallerId | undefined, byteCount: number): FactOf<"input"> {
  return {
    type: "input",
    ...(by === undefined ? {} : { by }),
    redacted: true,
    lengthBucket: lengthBucketOf(byteCount),
  };
}
