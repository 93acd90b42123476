import { isErrorCode, LostReason, NacreError, Size } from "@nacre/contracts";
import { z } from "zod";

export type TerminalMessage =
  | {
      /** Replaces what was shown; an emulator fed with these bytes shows the terminal as it is. */
      readonly kind: "snapshot";
      readonly bytes: Uint8Array;
      readonly sequence: number;
      readonly size: Size;
      readonly alternate: boolean;
      readonly title: string;
    }
  /** Output up to the entry of this sequence. */
  | { readonly kind: "bytes"; readonly bytes: Uint8Array; readonly sequence: number }
  | { readonly kind: "size"; readonly size: Size }
  | { readonly kind: "title"; readonly title: string }
  | { readonly kind: "claim"; readonly claim: unknown; readonly epoch: number }
  /** Output that could not be recorded; null when the number is unknown. */
  | { readonly kind: "gap"; readonly lostBytes: number | null }
  /** Nothing follows. */
  | {
      readonly kind: "exit";
      readonly exitCode: number | null;
      readonly signal: string | undefined;
      readonly lostReason?: LostReason;
    }
  /** Input or a request of this client was refused. */
  | { readonly kind: "refusal"; readonly error: NacreError };

/** Unknown types are ignored. */
const Control = z.discriminatedUnion("type", [
  z.object({
    type: z.literal("snapshot"),
    sequence: z.int(),
    size: Size,
    bytes: z.int().min(0),
    alternate: z.boolean(),
    title: z.string(),
  }),
  z.object({ type: z.literal("cursor"), sequence: z.int() }),
  z.object({ type: z.literal("size"), cols: z.int(), rows: z.int() }),
  z.object({ type: z.literal("title"), title: z.string() }),
  z.object({ type: z.literal("claim"), claim: z.unknown(), epoch: z.int() }),
  z.object({ type: z.literal("gap"), lostBytes: z.int().nullable() }),
  z.object({
    type: z.literal("exit"),
    exitCode: z.int().nullable(),
    signal: z.string().nullish(),
    lostReason: LostReason.optional().catch(undefined),
  }),
  z.object({ type: z.literal("error"), code: z.string(), message: z.string() }),
]);
type Control = z.infer<typeof Control>;
type Exit = Extract<Control, { readonly type: "exit" }>;
type Snapshot = Extract<Control, { readonly type: "snapshot" }>;

/** Bounds what a host can make us hold. */
const MAX_HELD_BYTES = 64 * 1024 * 1024;

/**
 * Assembles the frames of one connection: bytes are released once the host named the entry they end with, so that
 * nothing is repeated after a reconnect.
 */
export class TerminalFrames {
  #snapshot: Snapshot | undefined;
  #held: Uint8Array[] = [];
  #heldBytes = 0;

  push(frame: Uint8Array | string): readonly TerminalMessage[] {
    if (typeof frame === "string") return this.#control(frame);
    this.#held.push(frame);
    this.#heldBytes += frame.length;
    if (this.#heldBytes > MAX_HELD_BYTES) throw new RangeError("the host sends bytes without end");
    return [];
  }

  #control(text: string): readonly TerminalMessage[] {
    const read = Control.safeParse(JSON.parse(text));
    return read.success ? this.#tell(read.data) : [];
  }

  #tell(control: Control): readonly TerminalMessage[] {
    switch (control.type) {
      case "snapshot":
        this.#snapshot = control;
        return [];
      case "cursor":
        return this.#release(control.sequence);
      case "size":
        return [{ kind: "size", size: { cols: control.cols, rows: control.rows } }];
      case "title":
        return [{ kind: "title", title: control.title }];
      case "claim":
        return [{ kind: "claim", claim: control.claim, epoch: control.epoch }];
      case "gap":
        return [{ kind: "gap", lostBytes: control.lostBytes }];
      case "exit":
        return [exitOf(control)];
      case "error":
        return [{ kind: "refusal", error: refusalOf(control) }];
    }
  }

  #release(sequence: number): readonly TerminalMessage[] {
    const bytes = joined(this.#held, this.#heldBytes);
    const snapshot = this.#snapshot;
    this.#snapshot = undefined;
    this.#held = [];
    this.#heldBytes = 0;
    if (snapshot === undefined) return [{ kind: "bytes", bytes, sequence }];
    const { size, alternate, title } = snapshot;
    return [{ kind: "snapshot", bytes, sequence, size, alternate, title }];
  }
}

function joined(pieces: readonly Uint8Array[], byteCount: number): Uint8Array {
  const [first] = pieces;
  if (first && pieces.length === 1) return first;
  const whole = new Uint8Array(byteCount);
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}

const refusalOf = ({ code, message }: { code: string; message: string }): NacreError =>
  new NacreError(isErrorCode(code) ? code : "unexpected_answer", message);

function exitOf({ exitCode, signal, lostReason }: Exit): TerminalMessage {
  const lost = lostReason === undefined ? {} : { lostReason };
  return { kind: "exit", exitCode, signal: signal ?? undefined, ...lost };
}
