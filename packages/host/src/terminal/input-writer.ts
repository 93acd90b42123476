import {
  type Caller,
  type CallerId,
  MAX_INPUT_BYTES,
  NacreError,
  type TerminalSendInputData,
} from "@nacre/contracts";
import {
  type AnswerReader,
  type InputFacts,
  isAtShellPrompt,
  type SecretMoment,
  secretMoment,
} from "../command/secret-moment.ts";
import { type InputState, MAX_QUEUED_INPUT_BYTES, type Pty } from "../pty/pty.ts";
import type { Appender } from "./appender.ts";
import type { Lifecycle } from "./lifecycle.ts";
import { SerialQueue } from "../base/serial-queue.ts";
import { settleWithin } from "../base/settle-within.ts";

/** Input on its way to the program. */
export interface InputMessage {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly by?: CallerId | undefined;
  /** False when the caller named keys. */
  readonly literal?: boolean | undefined;
  /** The caller says that nobody else may see it. */
  readonly sensitive?: boolean | undefined;
  /** Refused unless a program is known to ask for a secret. */
  readonly hidden?: boolean | undefined;
  /** Somebody asked for it: refused unless a program reads it. */
  readonly isAnswer?: boolean | undefined;
  /** Throws when it may not be typed any more; called in its turn, because the claim may move while it waits. */
  check(): void;
  /** Is told that its turn has come. */
  begin?(): void;
  readonly handleTyped?: TypedCallback | undefined;
}

/** The caller waits this long for the record: then the disk is in trouble, and the program has the input. */
const MAX_RECORDED_MS = 1000;

export interface InputWriterDeps {
  readonly pty: Pty;
  readonly appender: Appender;
  readonly lifecycle: Lifecycle;
  /** What is known of the terminal while the line discipline is in this state. */
  readonly facts: (state: InputState) => InputFacts;
  /** Looks who would get an answer. */
  readonly answerReader: () => Promise<AnswerReader>;
  /** Masks what the terminal shows of a secret that is about to be typed. */
  readonly guardEcho: (bytes: Uint8Array) => void;
  /** Resolves with true when no change of the claim is half done, and with false when one takes too long. */
  readonly claimSettled: () => Promise<boolean>;
  /** Whether the program has an input at all. */
  readonly takesInput: boolean;
  /** Something failed that nobody waits for. */
  readonly handleProblem: (error: unknown) => void;
  /** Is told of the bytes right before the program gets them, and whether they are a secret. */
  readonly handleInput: (bytes: Uint8Array<ArrayBuffer>, isSecret: boolean) => void;
}

/** The one way into a PTY: whole messages, one after the other, each recorded before the program can answer it. */
export class InputWriter {
  readonly #deps: InputWriterDeps;
  readonly #queue = new SerialQueue();
  #waitingBytes = 0;

  /** Input before `ready` waits: shells discard what is typed while they start. */
  constructor(deps: InputWriterDeps, ready: Promise<unknown>) {
    this.#deps = deps;
    void this.#queue.run(() => ready);
  }

  /** Resolves once the input is queued for the program and recorded; refused input changes nothing. */
  async type(input: InputMessage): Promise<void> {
    this.#deps.lifecycle.requireRunning("type");
    const { byteLength } = input.bytes;
    if (!this.#deps.takesInput) {
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
    const { recorded } = await this.#queue.run(async () => {
      try {
        return await this.#deliver(input);
      } finally {
        this.#waitingBytes -= byteLength;
      }
    });
    await settleWithin(recorded, MAX_RECORDED_MS);
  }

  /** Resolves when everything that was typed before got to the program, or was refused. */
  get settled(): Promise<unknown> {
    return this.#queue.settled;
  }

  /** Answers the program in the terminal's own name: at once, because programs wait for it while they start. */
  async answer(reply: Uint8Array<ArrayBuffer>): Promise<void> {
    const { pty, appender, lifecycle } = this.#deps;
    if (!lifecycle.isRunning || !this.#deps.takesInput) return;
    const recorded = appender.appendInput({ data: reply.slice(), isSecret: false });
    await pty.write(reply);
    await recorded;
  }

  async #deliver(input: InputMessage): Promise<{ readonly recorded: Promise<void> }> {
    const { lifecycle, appender } = this.#deps;
    const { bytes } = input;
    const isSaid = input.sensitive === true || input.hidden === true;
    if (input.isAnswer === true) requireReader(await this.#deps.answerReader());
    const first = await this.#state(bytes);
    // A claim that is being recorded is before this input in the recording, so it has to count for it.
    if (!(await this.#deps.claimSettled())) throw claimChanging();
    // Waiting for the claim may have taken long: of a secret, the state right before the write counts.
    const state = isSaid || input.isAnswer === true ? await this.#state(bytes) : first;
    lifecycle.requireRunning("type");
    input.check();
    const facts = this.#deps.facts(state);
    const moment = secretMoment(facts);
    requireMoment(input, facts, moment);
    requireRoom(state.queuedInputBytes, bytes.byteLength);
    const isSecret = isSaid || moment === "asked";
    input.begin?.();
    if (isSaid) this.#deps.guardEcho(bytes);
    const written = isSaid
      ? await this.#writeSecret(input, state)
      : await this.#write(input, bytes, isSecret);
    input.handleTyped?.(isSecret || !appender.recordsInput);
    return written;
  }

  #state(bytes: Uint8Array): Promise<InputState> {
    const { pty } = this.#deps;
    return pty.inputState?.(bytes.byteLength) ?? pty.state();
  }

  /** Hands bytes to the program; `recorded` resolves when the recording has what it may have of them. */
  async #write(
    { by, literal }: InputMessage,
    bytes: Uint8Array<ArrayBuffer>,
    isSecret: boolean,
  ): Promise<{ readonly recorded: Promise<void> }> {
    const { pty, appender, handleInput, handleProblem } = this.#deps;
    const typed = { data: bytes.slice(), by, literal, isSecret };
    // The recorder keeps the order, so the program need not wait for the disk, whatever state that is in.
    const recorded = appender.appendInput(typed).catch(handleProblem);
    handleInput(bytes, isSecret);
    await pty.write(bytes);
    return { recorded };
  }

  /**
   * The program may end its read between the check and the write, and then a shell would execute the input. So the
   * PTY's owner checks once more right before the write.
   */
  async #writeSecret(input: InputMessage, { echo, canonical }: InputState) {
    const { pty, appender, handleInput, handleProblem } = this.#deps;
    const { by, literal, bytes } = input;
    const isKnown = echo !== undefined && canonical !== undefined;
    const isWritten = isKnown ? await pty.writeIn?.({ echo, canonical }, bytes) : undefined;
    if (isWritten === false) throw stoppedAsking();
    if (isWritten === undefined) return await this.#write(input, bytes, true);
    handleInput(bytes, true);
    // Only now is it known that it was typed; what the program says to it may stand before.
    const typed = { data: bytes.slice(), by, literal, isSecret: true };
    return { recorded: appender.appendInput(typed).catch(handleProblem) };
  }
}

/** Refuses what no program waits for. */
function requireReader(reader: AnswerReader): void {
  if (reader === "shell") throw wouldRun();
  if (reader === "nobody") throw nobodyReads();
}

/** Refuses what a shell would run, and a secret where it would be shown. */
function requireMoment(
  { isAnswer, hidden, sensitive }: InputMessage,
  facts: InputFacts,
  moment: SecretMoment,
): void {
  if (isAnswer === true && isAtShellPrompt(facts)) throw wouldRun();
  if (hidden === true && moment !== "asked") throw notAsked();
  if (sensitive === true && moment === "shown") throw wouldShow();
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

const wouldRun = (): NacreError =>
  new NacreError("conflict", "the shell is at its prompt and would run the answer as a command", {
    suggestion:
      'Nothing was typed. Ask with `kind: "answer"`, whose answer goes to who asks; or answer when a program reads it.',
  });

const nobodyReads = (): NacreError =>
  new NacreError("conflict", "no program is known to read what would be typed now", {
    suggestion:
      "Nothing was typed, and the question stands. Answer again once the program reads: the terminal then has `inputNeeded` (`nacre inbox`). Or type in the terminal itself (`nacre attach`).",
  });

const wouldShow = (): NacreError =>
  new NacreError(
    "conflict",
    "the terminal shows what is typed now, and a secret must not be seen",
    {
      suggestion: "Nothing was typed. Type it when the program asks without showing it.",
    },
  );

const notAsked = (): NacreError =>
  new NacreError("conflict", "no program is known to ask for a secret now", {
    suggestion:
      "Nothing was typed. Answer when the program asks without showing it, or decline. Where it hides what is typed and nobody can tell from outside, send it with `sendInput` and `sensitive`, which is not recorded, or type it in `nacre attach`, which is.",
  });

const stoppedAsking = (): NacreError =>
  new NacreError("conflict", "the program stopped asking a moment ago", {
    suggestion: "Nothing was typed. Look at the terminal before you answer again.",
  });

/** Is told that input reached the program, and whether nothing of it may be recorded. */
export type TypedCallback = (isWithheld: boolean) => void;

export interface TypeOptions {
  readonly by: Caller;
  /** Nobody else may see it: its bytes are not recorded, and it is refused where the terminal would show them. */
  readonly sensitive?: boolean | undefined;
  /** A program has to ask for it: refused where none is known to read a secret. */
  readonly hidden?: boolean | undefined;
  /** Who asked for it: where one of both may type, it may be typed, but only while a program reads it and no shell would run it. */
  readonly askedBy?: Caller | undefined;
  /** What a program has to read now; a secret is then also `sensitive` and `hidden`. */
  readonly expects?: TerminalSendInputData["expects"];
  /** The claim that the caller believes in; `conflict` when there is a newer one. */
  readonly epoch?: number | undefined;
  readonly handleTyped?: TypedCallback | undefined;
}
