import { type CallerId, MAX_INPUT_BYTES, NacreError } from "@nacre/contracts";
import { MAX_QUEUED_INPUT_BYTES, type Pty } from "../pty/pty.ts";
import type { Appender } from "./appender.ts";
import type { Lifecycle } from "./lifecycle.ts";

/** Input on its way to the program. */
export interface TypedBytes {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly by?: CallerId | undefined;
  /** False when the caller named keys. */
  readonly literal?: boolean | undefined;
  /** The caller says that nobody else may see it. */
  readonly sensitive?: boolean | undefined;
  /** Throws when it may not be typed any more; asked in its turn, because the claim may move while it waits. */
  check(): void;
}

/** What the gate stands between. */
export interface InputGateParts {
  readonly pty: Pty;
  readonly appender: Appender;
  readonly lifecycle: Lifecycle;
  /** Tells whether the program asks for a secret in a way that only its words show. */
  readonly asksForSecret: (canonical: boolean | undefined) => boolean;
  /** Whether recordings cannot be written as they should at the moment. */
  readonly isDegraded: () => boolean;
  /** Is told of the bytes right before the program gets them, and whether they are a secret. */
  readonly handleInput: (bytes: Uint8Array<ArrayBuffer>, isSecret: boolean) => void;
}

/** The one way into a Pty: whole messages, one after the other, each recorded before the program can answer it. */
export class InputGate {
  readonly #parts: InputGateParts;
  #turn: Promise<unknown>;

  /** Input that comes before `ready` waits for it: shells throw away what is typed while they start. */
  constructor(parts: InputGateParts, ready: Promise<unknown>) {
    this.#parts = parts;
    this.#turn = ready;
  }

  /** Resolves once the input is recorded and queued for the program; refused input changes nothing. */
  async type(input: TypedBytes): Promise<void> {
    this.#parts.lifecycle.requireRunning("type");
    const { byteLength } = input.bytes;
    if (byteLength > MAX_INPUT_BYTES) {
      throw new NacreError(
        "payload_too_large",
        `${byteLength} bytes are too many at once, at most ${MAX_INPUT_BYTES} fit`,
        { field: "data" },
      );
    }
    const turn = this.#turn.then(() => this.#hand(input));
    this.#turn = turn.catch(() => undefined);
    const { recorded } = await turn;
    await recorded;
  }

  /** Answers the program in the terminal's own name: at once, because programs wait for it while they start. */
  async answer(reply: Uint8Array<ArrayBuffer>): Promise<void> {
    const { pty, appender, lifecycle } = this.#parts;
    if (!lifecycle.isRunning) return;
    const recorded = appender.appendInput({ data: reply.slice(), echo: true, canonical: false });
    await pty.write(reply);
    await recorded;
  }

  async #hand(input: TypedBytes): Promise<{ readonly recorded: Promise<void> }> {
    const { pty, appender, lifecycle, isDegraded, asksForSecret, handleInput } = this.#parts;
    const { bytes, by, literal } = input;
    const { echo, canonical, queuedInputBytes } = await pty.state();
    lifecycle.requireRunning("type");
    input.check();
    if (queuedInputBytes + bytes.byteLength > MAX_QUEUED_INPUT_BYTES) {
      throw new NacreError(
        "input_queue_full",
        `${queuedInputBytes} bytes wait for the program, ${bytes.byteLength} more do not fit`,
      );
    }
    // Not showing a line is asking for a secret; programs that take single keys say so only in words.
    const asks = (echo === false && canonical === true) || asksForSecret(canonical);
    const sensitive = input.sensitive === true || asks;
    const typed = { data: bytes.slice(), by, literal, sensitive, echo, canonical };
    // The recorder keeps the order, so the program need not wait for the disk; unless the disk is in trouble.
    const recorded = appender.appendInput(typed);
    if (isDegraded()) await recorded;
    else recorded.catch(() => undefined); // Whoever typed is told; see `type`.
    handleInput(bytes, sensitive);
    await pty.write(bytes);
    return { recorded };
  }
}
