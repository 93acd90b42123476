import { setTimeout as wait } from "node:timers/promises";
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
import { settleWithin } from "../base/settle-within.ts";

/** A sender that waits for room in the program's queue instead of being refused. */
export interface RoomWaiter {
  /** Fires when the sender is gone: then nobody waits any more. */
  readonly signal?: AbortSignal | undefined;
  /** Takes no more from the sender until disposed: what follows waits on its side. */
  hold?(byteCount: number): Disposable;
}

/** Input on its way to the program. */
export interface InputMessage {
  /** Nobody else uses their buffer: the recording gets it. */
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
  /** Absent where what does not fit is refused. */
  readonly whenFull?: RoomWaiter | undefined;
}

/** What the program got; `recorded` resolves when the recording has what it may have of it. */
interface DeliveredInput {
  readonly recorded: Promise<void>;
}

/** Input that waits for its turn. */
interface PendingInput {
  readonly input: InputMessage;
  readonly delivered: PromiseWithResolvers<DeliveredInput>;
  held: Disposable | undefined;
}

/** How often a program that does not read is asked whether it has room now. */
const ROOM_POLL_MS = 50;

/** Who typed is told that it is recorded, unless that takes longer than this: then the disk is in trouble, and the program has it. */
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

/**
 * The one way into a Pty: whole messages, one after the other, each recorded before the program can answer it. What waits
 * here and what the Pty has not taken yet are bounded by `MAX_QUEUED_INPUT_BYTES`; who sends more is refused, or held back.
 */
export class InputWriter {
  readonly #deps: InputWriterDeps;
  readonly #ready: Promise<unknown>;
  /** In the order in which it gets to the program; the first is being delivered. */
  #pending: PendingInput[] = [];
  #pendingBytes = 0;
  /** What was sent and is not recorded: who can wait does so for a slow disk as well. */
  #unrecordedBytes = 0;
  /** Whether the first waits for a program that does not read. */
  #isStuck = false;
  #mayWait = true;

  /** Input before `ready` waits: shells discard what is typed while they start. */
  constructor(deps: InputWriterDeps, ready: Promise<unknown>) {
    this.#deps = deps;
    // A shell that does not come to its prompt gets what is typed all the same.
    this.#ready = ready.catch(() => undefined);
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
    const { whenFull } = input;
    const waitingBytes = whenFull ? this.#unrecordedBytes : this.#pendingBytes;
    const isFull = this.#isStuck || !hasRoom(waitingBytes, byteLength);
    if (isFull && !whenFull) throw queueFull(waitingBytes, byteLength);
    const delivered = Promise.withResolvers<DeliveredInput>();
    const pending: PendingInput = {
      input,
      delivered,
      held: isFull ? whenFull?.hold?.(byteLength) : undefined,
    };
    this.#pendingBytes += byteLength;
    this.#unrecordedBytes += byteLength;
    if (this.#pending.push(pending) === 1) void this.#deliverPending();
    try {
      const { recorded } = await delivered.promise;
      await settleWithin(recorded, MAX_RECORDED_MS);
    } finally {
      this.#unrecordedBytes -= byteLength;
      pending.held?.[Symbol.dispose]();
    }
  }

  /** Resolves when everything that was typed before got to the program, or was refused. */
  get settled(): Promise<unknown> {
    const last = this.#pending.at(-1);
    return last ? last.delivered.promise.catch(() => undefined) : Promise.resolve();
  }

  /** Refuses from now on what the program has no room for, also to those who would wait. */
  stopWaiting(): void {
    this.#mayWait = false;
  }

  /** Answers the program in the terminal's own name: at once, because programs wait for it while they start. */
  async answer(reply: Uint8Array<ArrayBuffer>): Promise<void> {
    const { pty, appender, lifecycle } = this.#deps;
    if (!lifecycle.isRunning || !this.#deps.takesInput) return;
    const recorded = appender.appendInput({ data: reply.slice(), isSecret: false });
    await pty.write(reply);
    await recorded;
  }

  /** Never fails: who waits for a message is told what became of it. */
  async #deliverPending(): Promise<void> {
    await this.#ready;
    for (let first = this.#pending[0]; first; first = this.#pending[0]) {
      const { byteLength } = first.input.bytes;
      try {
        first.delivered.resolve(await this.#deliver(first.input));
      } catch (error) {
        first.delivered.reject(error);
      }
      this.#isStuck = false;
      this.#pending.shift();
      this.#pendingBytes -= byteLength;
    }
  }

  async #deliver(input: InputMessage): Promise<DeliveredInput> {
    const { byteLength } = input.bytes;
    for (;;) {
      const { state, isSecret } = await this.#admit(input);
      if (hasRoom(state.queuedInputBytes, byteLength)) {
        return await this.#handOver(input, state, isSecret);
      }
      const { whenFull } = input;
      const isWaiting = whenFull && !whenFull.signal?.aborted && this.#mayWait;
      if (!isWaiting) throw queueFull(state.queuedInputBytes, byteLength);
      this.#holdBack(state.queuedInputBytes);
      await wait(ROOM_POLL_MS);
    }
  }

  /** The first has no room, so that nothing behind it has any: who can wait is held back, everybody else is refused. */
  #holdBack(queuedBytes: number): void {
    this.#isStuck = true;
    const waiting: PendingInput[] = [];
    for (const one of this.#pending) {
      const { whenFull, bytes } = one.input;
      if (whenFull) {
        one.held ??= whenFull.hold?.(bytes.byteLength);
        waiting.push(one);
      } else {
        this.#pendingBytes -= bytes.byteLength;
        one.delivered.reject(queueFull(queuedBytes, bytes.byteLength));
      }
    }
    this.#pending = waiting;
  }

  /** Whether this may be typed now, by everything but the room for it; throws where it may not. */
  async #admit(
    input: InputMessage,
  ): Promise<{ readonly state: InputState; readonly isSecret: boolean }> {
    const { lifecycle } = this.#deps;
    const { bytes } = input;
    const isSaid = isSaidSecret(input);
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
    return { state, isSecret: isSaid || moment === "asked" || moment === "possible" };
  }

  async #handOver(
    input: InputMessage,
    state: InputState,
    isSecret: boolean,
  ): Promise<DeliveredInput> {
    input.begin?.();
    if (!isSaidSecret(input)) return await this.#write(input, isSecret);
    this.#deps.guardEcho(input.bytes);
    return await this.#writeSecret(input, state);
  }

  #state(bytes: Uint8Array): Promise<InputState> {
    const { pty } = this.#deps;
    return pty.inputState?.(bytes.byteLength) ?? pty.state();
  }

  /** Hands bytes to the program, which takes them before it returns; after that they are the recording's. */
  async #write(input: InputMessage, isSecret: boolean): Promise<DeliveredInput> {
    const { pty, appender, handleInput, handleProblem } = this.#deps;
    const { by, literal, bytes } = input;
    // The recorder keeps the order, so the program need not wait for the disk, whatever state that is in.
    const typed = { data: bytes, by, literal, isSecret };
    const recorded = appender.appendInput(typed).catch(handleProblem);
    handleInput(bytes, isSecret);
    await pty.write(bytes);
    input.handleTyped?.(isSecret || !appender.recordsInput);
    return { recorded };
  }

  /**
   * The program may end its read between the check and the write, and then a shell would execute the input. So the
   * PTY's owner checks once more right before the write.
   */
  async #writeSecret(
    input: InputMessage,
    { echo, canonical }: InputState,
  ): Promise<DeliveredInput> {
    const { pty, appender, handleInput, handleProblem } = this.#deps;
    const { by, literal, bytes } = input;
    const isKnown = echo !== undefined && canonical !== undefined;
    const isWritten = isKnown ? await pty.writeIn?.({ echo, canonical }, bytes) : undefined;
    if (isWritten === false) throw stoppedAsking();
    if (isWritten === undefined) return await this.#write(input, true);
    handleInput(bytes, true);
    // Only now is it known that it was typed; what the program says to it may stand before.
    const typed = { data: bytes, by, literal, isSecret: true };
    const recorded = appender.appendInput(typed).catch(handleProblem);
    input.handleTyped?.(true);
    return { recorded };
  }
}

const isSaidSecret = ({ sensitive, hidden }: InputMessage): boolean =>
  sensitive === true || hidden === true;

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

const hasRoom = (queuedBytes: number, byteCount: number): boolean =>
  queuedBytes + byteCount <= MAX_QUEUED_INPUT_BYTES;

const queueFull = (queuedBytes: number, byteCount: number): NacreError =>
  new NacreError(
    "input_queue_full",
    `${queuedBytes} bytes wait for the program, ${byteCount} more do not fit`,
  );

const claimChanging = (): NacreError =>
  new NacreError("unavailable", "somebody takes over, and the disk is too slow to record it", {
    suggestion: "Try again in a moment.",
  });

const wouldRun = (): NacreError =>
  new NacreError("conflict", "a shell is at its prompt and would run the answer as a command", {
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
  /** Who can wait until the program has room; absent where what does not fit is refused. */
  readonly whenFull?: RoomWaiter | undefined;
}
