import { type CallerId, MAX_INPUT_BYTES, NacreError } from "@nacre/contracts";
import { MAX_QUEUED_INPUT_BYTES, type Pty } from "../pty/pty.ts";
import type { Appender } from "./appender.ts";
import type { Lifecycle } from "./lifecycle.ts";
import type { HandleTyped } from "./type-options.ts";
import { within } from "./within.ts";

/** Input on its way to the program. */
export interface TypedBytes {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly by?: CallerId | undefined;
  /** False when the caller named keys. */
  readonly literal?: boolean | undefined;
  /** The caller says that nobody else may see it. */
  readonly sensitive?: boolean | undefined;
  /** Refused while the terminal shows what is typed. */
  readonly hidden?: boolean | undefined;
  /** Throws when it may not be typed any more; asked in its turn, because the claim may move while it waits. */
  check(): void;
  /** Is told that its turn has come. */
  begin?(): void;
  readonly handleTyped?: HandleTyped | undefined;
}

/** Who typed is told that it is recorded, unless that takes longer than this: then the disk is in trouble, and the program has it. */
const MAX_RECORDED_MS = 1000;

/** What the gate stands between. */
export interface InputGateParts {
  readonly pty: Pty;
  readonly appender: Appender;
  readonly lifecycle: Lifecycle;
  /** Tells whether the program asks for a secret in a way that only its words show. */
  readonly asksForSecret: (canonical: boolean | undefined) => boolean;
  /** Resolves with true when no change of the claim is half done, and with false when one takes too long. */
  readonly claimSettled: () => Promise<boolean>;
  /** Whether the program has an input at all. */
  readonly takesInput: boolean;
  /** Something failed that nobody waits for. */
  readonly handleProblem: (error: unknown) => void;
  /** Is told of the bytes right before the program gets them, and whether they are a secret. */
  readonly handleInput: (bytes: Uint8Array<ArrayBuffer>, isSecret: boolean) => void;
}

/** The one way into a Pty: whole messages, one after the other, each recorded before the program can answer it. */
export class InputGate {
  readonly #parts: InputGateParts;
  #turn: Promise<unknown>;
  #waitingBytes = 0;

  /** Input that comes before `ready` waits for it: shells throw away what is typed while they start. */
  constructor(parts: InputGateParts, ready: Promise<unknown>) {
    this.#parts = parts;
    this.#turn = ready;
  }

  /** Resolves once the input is queued for the program and recorded; refused input changes nothing. */
  async type(input: TypedBytes): Promise<void> {
    this.#parts.lifecycle.requireRunning("type");
    const { byteLength } = input.bytes;
    if (!this.#parts.takesInput) {
      throw new NacreError(
        "conflict",
        "this program has no input: it was started without a terminal",
      );
    }
    if (byteLength > MAX_INPUT_BYTES) {
      throw new NacreError(
        "payload_too_large",
        `${byteLength} bytes are too many at once, at most ${MAX_INPUT_BYTES} fit`,
        { field: "data" },
      );
    }
    requireRoom(this.#waitingBytes, byteLength);
    this.#waitingBytes += byteLength;
    const turn = this.#turn.then(() => this.#hand(input));
    this.#turn = turn
      .catch(() => undefined)
      .then(() => {
        this.#waitingBytes -= byteLength;
      });
    const { recorded } = await turn;
    await within(recorded, MAX_RECORDED_MS);
  }

  /** Resolves when everything that was typed before got to the program, or was refused. */
  get settled(): Promise<unknown> {
    return this.#turn;
  }

  /** Answers the program in the terminal's own name: at once, because programs wait for it while they start. */
  async answer(reply: Uint8Array<ArrayBuffer>): Promise<void> {
    const { pty, appender, lifecycle } = this.#parts;
    if (!lifecycle.isRunning || !this.#parts.takesInput) return;
    const recorded = appender.appendInput({ data: reply.slice(), echo: true, canonical: false });
    await pty.write(reply);
    await recorded;
  }

  async #hand(input: TypedBytes): Promise<{ readonly recorded: Promise<void> }> {
    const { pty, appender, lifecycle, asksForSecret, handleInput, handleProblem } = this.#parts;
    const { bytes, by, literal } = input;
    const state = await (pty.inputState?.(bytes.byteLength) ?? pty.state());
    const { echo, canonical, queuedInputBytes } = state;
    // A claim that is being recorded is before this input in the recording, so it has to count for it.
    if (!(await this.#parts.claimSettled())) throw claimChanging();
    lifecycle.requireRunning("type");
    input.check();
    if (input.hidden === true && echo === true) throw wouldShow();
    requireRoom(queuedInputBytes, bytes.byteLength);
    // Not showing a line is asking for a secret; programs that take single keys say so only in words.
    const asks = (echo === false && canonical === true) || asksForSecret(canonical);
    const sensitive = input.sensitive === true || asks;
    const typed = { data: bytes.slice(), by, literal, sensitive, echo, canonical };
    input.begin?.();
    // The recorder keeps the order, so the program need not wait for the disk, whatever state that is in.
    const recorded = appender.appendInput(typed).catch(handleProblem);
    handleInput(bytes, sensitive);
    await pty.write(bytes);
    input.handleTyped?.(sensitive || !appender.recordsInput);
    return { recorded };
  }
}

function requireRoom(waitingBytes: number, byteCount: number): void {
  if (waitingBytes + byteCount <= MAX_QUEUED_INPUT_BYTES) return;
  throw new NacreError(
    "input_queue_full",
    `${waitingBytes} bytes wait for the program, ${byteCount} more do not fit`,
  );
}

const claimChanging = (): NacreError =>
  new NacreError("unavailable", "somebody takes over, and the disk is too slow to record it", {
    suggestion: "Try again in a moment.",
  });

const wouldShow = (): NacreError =>
  new NacreError(
    "conflict",
    "the terminal shows what is typed now, and a secret must not be seen",
    {
      suggestion: "Answer when the program asks without showing it, or decline.",
    },
  );
