import { randomUUID } from "node:crypto";
import {
  type AnswerInputInput,
  type AnswerInputResult,
  type Caller,
  type CallerId,
  type InputNeeded,
  type InputRequest,
  MAX_INPUT_REQUESTS,
  NacreError,
  type RequestInputResult,
} from "@nacre/contracts";
import { SYSTEM_TIMERS, type Timers } from "../claim/timers.ts";
import type { HandleTyped, TypeOptions } from "./type-options.ts";

/** How a request for input ended, without what was typed. */
export type InputAnswer = Omit<RequestInputResult, "request">;

/** What people are asked with. */
export interface InputQuestion {
  readonly by: Caller;
  readonly prompt: string;
  /** Whether the program asks for a secret now, when absent. */
  readonly secret?: boolean | undefined;
  readonly deadlineMs: number;
  /** Withdraws the request. */
  readonly signal?: AbortSignal | undefined;
}

/** A request and the answer it will get; that promise never fails. */
export interface AskedInput {
  readonly request: InputRequest;
  readonly answered: Promise<InputAnswer>;
}

/** What somebody answers. */
export interface InputReply extends Omit<AnswerInputInput, "id"> {
  readonly by: Caller;
  readonly handleTyped?: HandleTyped | undefined;
}

/** What requests for input need of their Terminal. */
export interface InputRequestsParts {
  /** What the program waits for now. */
  readonly needed: () => InputNeeded | undefined;
  /** Writes down that somebody asks; throws when it may not. */
  readonly open: (prompt: string, by: Caller) => Promise<void>;
  readonly type: (text: string, options: TypeOptions) => Promise<void>;
  /** Is told that the open requests are others now. */
  readonly handleChange: () => void;
  readonly timers?: Timers;
}

interface OpenRequest {
  readonly request: InputRequest;
  readonly asker: Caller;
  readonly end: (answer: InputAnswer) => void;
  /** The question of the program that was open when nobody had typed yet. */
  needed: string | undefined;
  typedBy: CallerId | undefined;
  hasEnter: boolean;
  /** An answer is on its way to the program: the deadline waits for it. */
  isHeld: boolean;
  isOverdue: boolean;
}

/** What people are asked to type into one Terminal: each request is answered, declined, withdrawn or lapses exactly once. */
export class InputRequests implements Disposable {
  readonly #open = new Map<string, OpenRequest>();
  readonly #parts: InputRequestsParts;

  constructor(parts: InputRequestsParts) {
    this.#parts = parts;
  }

  get pending(): readonly InputRequest[] {
    return [...this.#open.values()].map(({ request }) => request);
  }

  /** Asks everybody who follows the terminal, and whoever looks at it. */
  async ask(question: InputQuestion): Promise<AskedInput> {
    this.#requireRoom();
    await this.#parts.open(question.prompt, question.by);
    this.#requireRoom();
    return this.#ask(question);
  }

  /** Types what was asked for, or declines; of several answers one counts. */
  async answer(reply: InputReply): Promise<AnswerInputResult> {
    const { requestId, by, text, note } = reply;
    const open = this.#open.get(requestId);
    if (open === undefined || open.isHeld) throw notOpen(requestId);
    const { request } = open;
    const outcome = text === undefined ? "declined" : "answered";
    if (text !== undefined) await this.#type(open, text, reply);
    this.#end(requestId, { outcome, by: by.id, ...(note === undefined ? {} : { note }) });
    return { outcome, request };
  }

  /** Somebody typed: who answers in the terminal itself has answered as well. */
  noteTyped(bytes: Uint8Array, by: Caller): void {
    for (const open of this.#open.values()) {
      if (open.isHeld || isSameClient(by, open.asker)) continue;
      open.typedBy = by.id;
      open.hasEnter ||= bytes.includes(0x0d) || bytes.includes(0x0a);
    }
    this.look();
  }

  /** Looks whether the program still asks for what was typed; of one that is over nobody wants anything. */
  look(isOver = false): void {
    if (isOver) this[Symbol.dispose]();
    const needed = this.#parts.needed()?.since;
    for (const open of this.#open.values()) {
      const { typedBy, hasEnter } = open;
      if (typedBy === undefined) open.needed = needed ?? open.needed;
      // A program asks until Enter is pressed, and when it asks again that is another question.
      const isOther = open.needed === undefined ? hasEnter : open.needed !== needed;
      if (typedBy === undefined || !isOther) continue;
      this.#end(open.request.requestId, { outcome: "answered", by: typedBy });
    }
  }

  /** Nobody can answer any more. */
  [Symbol.dispose](): void {
    for (const requestId of this.#open.keys()) this.#end(requestId, { outcome: "closed" });
  }

  #requireRoom(): void {
    if (this.#open.size >= MAX_INPUT_REQUESTS) {
      throw new NacreError("limit_reached", `people are asked ${this.#open.size} things already`, {
        suggestion: "Ask again when one of them was answered.",
      });
    }
  }

  #ask({ by, prompt, secret, deadlineMs, signal }: InputQuestion): AskedInput {
    const { needed, timers = SYSTEM_TIMERS } = this.#parts;
    const now = timers.now();
    const request: InputRequest = {
      requestId: randomUUID(),
      by: by.id,
      prompt,
      secret: secret ?? needed()?.kind === "secret",
      askedAt: new Date(now).toISOString(),
      expiresAt: new Date(now + deadlineMs).toISOString(),
    };
    const { promise: answered, resolve } = Promise.withResolvers<InputAnswer>();
    const cancelExpiry = timers.after(deadlineMs, () => this.#expire(request.requestId));
    const withdraw = (): void => this.#end(request.requestId, { outcome: "withdrawn" });
    const end = (answer: InputAnswer): void => {
      cancelExpiry();
      signal?.removeEventListener("abort", withdraw);
      resolve(answer);
    };
    const state = { typedBy: undefined, hasEnter: false, isHeld: false, isOverdue: false };
    const open = { request, asker: by, end, needed: needed()?.since, ...state };
    this.#open.set(request.requestId, open);
    this.#parts.handleChange();
    signal?.addEventListener("abort", withdraw, { once: true });
    if (signal?.aborted) withdraw();
    return { request, answered };
  }

  async #type(open: OpenRequest, text: string, { by, submit, handleTyped }: InputReply) {
    const { secret, requestId } = open.request;
    open.isHeld = true;
    try {
      await this.#parts.type(`${text}${submit === false ? "" : "\r"}`, {
        by,
        askedBy: open.asker,
        handleTyped,
        ...(secret ? { sensitive: true, hidden: true } : {}),
      });
    } catch (error) {
      open.isHeld = false;
      if (open.isOverdue) this.#expire(requestId);
      throw error;
    }
  }

  #expire(requestId: string): void {
    const open = this.#open.get(requestId);
    if (!open) return;
    open.isOverdue = true;
    if (!open.isHeld) this.#end(requestId, { outcome: "expired" });
  }

  #end(requestId: string, answer: InputAnswer): void {
    const open = this.#open.get(requestId);
    if (!open) return;
    this.#open.delete(requestId);
    open.end(answer);
    this.#parts.handleChange();
  }
}

/** Whether both are one and the same program, as far as is known. */
const isSameClient = (one: Caller, other: Caller): boolean =>
  one.id === other.id && one.clientId !== undefined && one.clientId === other.clientId;

const notOpen = (requestId: string): NacreError =>
  new NacreError("conflict", `no request for input ${requestId} is open`, {
    field: "requestId",
    suggestion: "It was answered, withdrawn or lapsed; look at the open requests of the terminal.",
  });
