import { randomUUID } from "node:crypto";
import {
  type AnswerInputInput,
  type AnswerInputResult,
  type Caller,
  type CallerId,
  type InputNeeded,
  type InputRequest,
  type LapsedInputRequest,
  MAX_INPUT_REQUESTS,
  NacreError,
  type RequestInputInput,
  type RequestInputResult,
} from "@nacre/contracts";
import { type Clock, SYSTEM_CLOCK } from "../base/clock.ts";
import type { AnswerReader } from "../command/secret-moment.ts";
import type { TypedCallback, TypeOptions } from "./input-writer.ts";

/** So many answers are kept for those who asked without waiting; the oldest go first. */
const MAX_ENDED = 64;

/** So many of them are written down for the next host, no more than can be open. */
const MAX_SAVED_ENDED = MAX_INPUT_REQUESTS;

/** How a question ended. */
type InputAnswer = Omit<RequestInputResult, "request">;

/** What people are asked with. */
export interface InputQuestion extends Omit<RequestInputInput, "id" | "wait" | "timeoutMs"> {
  readonly by: Caller;
}

/** What somebody answers. */
export interface InputReply extends Omit<AnswerInputInput, "id"> {
  readonly by: Caller;
  readonly handleTyped?: TypedCallback | undefined;
}

/** How long to wait for an answer. */
export interface InputWait {
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
}

/** A question that is open, or whose end was told to nobody yet, as the next host has to know it. */
export interface SavedQuestion {
  readonly request: InputRequest;
  readonly asker: Caller;
  readonly ended?: Pick<EndedRequest, "answer" | "endedAt" | "isDismissed"> | undefined;
}

export interface InputRequestsDeps {
  /** What the program waits for now. */
  readonly needed: () => InputNeeded | undefined;
  /** Whether the shell says that it waits for a command line. */
  readonly isAtPrompt: () => boolean;
  /** Looks who would get an answer that is typed now. */
  readonly answerReader: () => Promise<AnswerReader>;
  /** Writes down that somebody asks; throws when it may not. */
  readonly open: (prompt: string, by: Caller) => Promise<void>;
  readonly type: (text: string, options: TypeOptions) => Promise<void>;
  /** Is told that the open questions are others now. */
  readonly handleChange: () => void;
  /** Keeps questions for the next host. */
  readonly save?: ((questions: readonly SavedQuestion[]) => void) | undefined;
  /** What the host before this one kept. */
  readonly saved?: readonly SavedQuestion[] | undefined;
  readonly clock?: Clock;
}

interface OpenRequest {
  readonly request: InputRequest;
  readonly asker: Caller;
  readonly ended: Promise<void>;
  readonly end: () => void;
  /** The read of the program that went on when it was asked. */
  readonly askedRead: string | undefined;
  /** Who typed into the terminal, and the read that was typed into. */
  typed:
    | { readonly by: CallerId; readonly read: string | undefined; hasEnter: boolean }
    | undefined;
  /** An answer is on its way to the program: the deadline waits for it. */
  isHeld: boolean;
  isOverdue: boolean;
}

interface EndedRequest {
  readonly request: InputRequest;
  readonly asker: Caller;
  readonly answer: InputAnswer;
  readonly endedAt: string;
  isDismissed: boolean;
  /** Whether who asked was told. */
  isFetched: boolean;
}

/** Questions to the people of one terminal: each is answered, declined, withdrawn or lapses exactly once. */
export class InputRequests implements Disposable {
  readonly #open = new Map<string, OpenRequest>();
  readonly #ended = new Map<string, EndedRequest>();
  readonly #deps: InputRequestsDeps;
  readonly #clock: Clock;
  /** The last read of the program that is known, until it was answered. */
  #lastRead: string | undefined;
  #isOver = false;

  constructor(deps: InputRequestsDeps) {
    this.#deps = deps;
    this.#clock = deps.clock ?? SYSTEM_CLOCK;
    for (const { request, asker, ended } of deps.saved ?? []) {
      if (ended) this.#keep({ request, asker, ...ended });
      else this.#begin(request, asker);
    }
  }

  get pending(): readonly InputRequest[] {
    return [...this.#open.values()].map(({ request }) => request);
  }

  /** What nobody answered in time and nobody has taken off, the newest last. */
  get lapsed(): readonly LapsedInputRequest[] {
    return [...this.#ended.values()]
      .flatMap((one) => {
        const reason = lapseReason(one);
        return reason ? [{ ...one.request, lapsedAt: one.endedAt, reason }] : [];
      })
      .slice(-MAX_INPUT_REQUESTS);
  }

  /** Asks everybody who follows the terminal, and whoever looks at it. */
  async ask(question: InputQuestion): Promise<InputRequest> {
    this.#requireRoom();
    const kind = this.#kindOf(question);
    if (kind === "type" && (await this.#deps.answerReader()) === "shell") throw wouldRun();
    await this.#deps.open(question.prompt, question.by);
    this.#requireRoom();
    const { by, prompt, choices, secret, expiresInMs } = question;
    const now = this.#clock.now();
    const isSecret = secret ?? this.#deps.needed()?.kind === "secret";
    const request: InputRequest = {
      requestId: randomUUID(),
      by: by.id,
      prompt,
      kind,
      secret: kind === "type" && isSecret,
      askedAt: new Date(now).toISOString(),
      ...(choices === undefined ? {} : { choices }),
      ...(expiresInMs === undefined
        ? {}
        : { expiresAt: new Date(now + expiresInMs).toISOString() }),
    };
    this.#begin(request, by);
    this.#handleChange();
    return request;
  }

  /** What became of a question, for whoever may know it; waits where it is open and time is given. */
  async outcome(named: string, by: Caller, wait?: InputWait): Promise<RequestInputResult> {
    const requestId = this.#findId(named);
    const open = this.#open.get(requestId);
    if (open && wait && wait.timeoutMs > 0) await this.#within(open.ended, wait);
    const ended = this.#ended.get(requestId);
    if (!ended) {
      if (open) return this.#pending(open.request);
      throw unknownRequest(requestId);
    }
    const { request, asker, answer } = ended;
    const { text, ...told } = answer;
    if (by.id === asker.id && !ended.isFetched && wait?.signal?.aborted !== true) {
      ended.isFetched = true;
      this.#save();
    }
    const mayKnow = by.scope === "operator" || by.id === asker.id;
    return { request, ...told, ...(mayKnow && text !== undefined ? { text } : {}) };
  }

  /** Answers or declines; of several answers one counts. */
  async answer(reply: InputReply): Promise<AnswerInputResult> {
    const { requestId, by, text, note } = reply;
    const open = this.#open.get(requestId);
    if (open === undefined || open.isHeld) throw notOpen(requestId);
    const { request } = open;
    const outcome = text === undefined ? "declined" : "answered";
    if (text !== undefined) {
      if (request.kind === "type") await this.#type(open, text, reply);
      else requireChoice(request, text);
    }
    this.#end(requestId, {
      outcome,
      by: by.id,
      ...(request.kind === "answer" && text !== undefined ? { text } : {}),
      ...(note === undefined ? {} : { note }),
    });
    return { outcome, request };
  }

  /** Takes a question back, or one that lapsed off the list. */
  async withdraw(requestId: string, by: Caller): Promise<RequestInputResult> {
    const one = this.#open.get(requestId) ?? this.#ended.get(requestId);
    if (!one) throw unknownRequest(requestId);
    if (by.scope !== "operator" && by.id !== one.asker.id) throw notYours(requestId);
    if ("isHeld" in one && one.isHeld) throw notOpen(requestId);
    this.#end(requestId, { outcome: "withdrawn", by: by.id });
    const ended = this.#ended.get(requestId);
    if (ended) ended.isDismissed = true;
    this.#handleChange();
    return await this.outcome(requestId, by);
  }

  /** Somebody typed into the terminal: that answers the question to be typed that the program's read belongs to, and no other. */
  noteTyped(bytes: Uint8Array, by: Caller): void {
    this.#noteRead();
    const toType = [...this.#open.values()].filter(({ request }) => request.kind === "type");
    const open = toType.find((one) => one.askedRead === this.#lastRead) ?? toType[0];
    // What a shell runs is an answer to nobody.
    if (!open || open.isHeld || isSameClient(by, open.asker) || this.#deps.isAtPrompt()) return;
    const hasEnter = bytes.includes(0x0d) || bytes.includes(0x0a);
    if (open.typed) open.typed.hasEnter ||= hasEnter;
    else open.typed = { by: by.id, read: this.#lastRead, hasEnter };
    this.look();
  }

  /** Looks whether the program still reads what was typed into; of one that is over nobody wants anything. */
  look(isOver = false): void {
    if (isOver) this[Symbol.dispose]();
    this.#noteRead();
    const read = this.#deps.needed()?.since;
    for (const { request, typed } of this.#open.values()) {
      if (!typed) continue;
      // A program asks until Enter is pressed, and when it asks again that is another question.
      const isRead = typed.read === undefined ? typed.hasEnter : typed.read !== read;
      if (!isRead) continue;
      if (this.#lastRead === typed.read) this.#lastRead = undefined;
      this.#end(request.requestId, { outcome: "answered", by: typed.by });
    }
  }

  /** Nobody can answer any more, and no other host has this terminal after this one. */
  [Symbol.dispose](): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#save();
    for (const requestId of this.#open.keys()) this.#end(requestId, { outcome: "closed" });
  }

  /** Who asks before the program reads has to know that nobody can answer yet. */
  #pending(request: InputRequest): RequestInputResult {
    const reads = this.#deps.needed()?.kind;
    const isRead = request.kind === "answer" || (reads !== undefined && reads !== "continuation");
    return { outcome: "pending", request, ...(isRead ? {} : { nobodyReads: true }) };
  }

  #noteRead(): void {
    this.#lastRead = this.#deps.needed()?.since ?? this.#lastRead;
  }

  /** The question that an id, or the beginning of one, means. */
  #findId(named: string): string {
    const ids = [...this.#open.keys(), ...this.#ended.keys()];
    if (ids.includes(named)) return named;
    const [only, ...others] = ids.filter((id) => id.startsWith(named));
    if (only === undefined || others.length === 0) return only ?? named;
    throw ambiguousRequest(named, [only, ...others]);
  }

  /** Only a secret is typed without being told to: it must not go to who asks. */
  #kindOf({ kind, secret, choices }: InputQuestion): InputRequest["kind"] {
    const isSecret = secret ?? (choices === undefined && this.#deps.needed()?.kind === "secret");
    return kind ?? (isSecret ? "type" : "answer");
  }

  #requireRoom(): void {
    if (this.#open.size >= MAX_INPUT_REQUESTS) {
      throw new NacreError("limit_reached", `people are asked ${this.#open.size} things already`, {
        suggestion: "Ask again when one of them was answered, or withdraw one.",
      });
    }
  }

  #begin(request: InputRequest, asker: Caller): void {
    const { requestId, expiresAt } = request;
    const { promise: ended, resolve } = Promise.withResolvers<void>();
    const restMs = expiresAt === undefined ? undefined : Date.parse(expiresAt) - this.#clock.now();
    const cancelExpiry =
      restMs === undefined
        ? undefined
        : this.#clock.after(Math.max(0, restMs), () => this.#expire(requestId));
    const end = (): void => {
      cancelExpiry?.();
      resolve();
    };
    const askedRead = this.#deps.needed()?.since;
    const state = { typed: undefined, isHeld: false, isOverdue: false };
    this.#open.set(requestId, { request, asker, ended, end, askedRead, ...state });
  }

  async #type(open: OpenRequest, text: string, { by, submit, handleTyped }: InputReply) {
    const { secret, requestId } = open.request;
    open.isHeld = true;
    try {
      // What comes from a file or a pipe ends its line itself.
      const line = text.replace(/\r?\n$/, "");
      await this.#deps.type(`${line}${submit === false ? "" : "\r"}`, {
        by,
        askedBy: open.asker,
        handleTyped,
        ...(secret ? { sensitive: true, hidden: true } : {}),
      });
      this.#lastRead = undefined;
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
    const { request, asker, end } = open;
    this.#open.delete(requestId);
    const endedAt = new Date(this.#clock.now()).toISOString();
    this.#keep({ request, asker, answer, endedAt, isDismissed: false });
    end();
    this.#handleChange();
  }

  #keep(ended: Omit<EndedRequest, "isFetched">): void {
    const { requestId } = ended.request;
    this.#ended.set(requestId, { ...ended, isFetched: false });
    const [oldest] = this.#ended.keys();
    if (this.#ended.size > MAX_ENDED && oldest !== undefined) this.#ended.delete(oldest);
  }

  #handleChange(): void {
    this.#save();
    this.#deps.handleChange();
  }

  /** What ended is kept until who asked knows, or, where it lapsed, until people dismiss it. */
  #save(): void {
    const ended = this.#isOver ? [] : [...this.#ended.values()].filter(isWanted);
    this.#deps.save?.([
      ...ended.slice(-MAX_SAVED_ENDED).map(({ request, asker, answer, endedAt, isDismissed }) => ({
        request,
        asker,
        ended: { answer, endedAt, isDismissed },
      })),
      ...[...this.#open.values()].map(({ request, asker }) => ({ request, asker })),
    ]);
  }

  /** Resolves when a question ended, the time is over, or nobody waits any more. */
  async #within(ended: Promise<void>, { timeoutMs, signal }: InputWait): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const cancel = this.#clock.after(timeoutMs, resolve);
    signal?.addEventListener("abort", () => resolve(), { once: true });
    if (signal?.aborted) resolve();
    await Promise.race([ended, promise]);
    cancel();
  }
}

/** Why nobody answered a question that people still have to learn of. */
function lapseReason({
  answer,
  isDismissed,
}: EndedRequest): LapsedInputRequest["reason"] | undefined {
  const { outcome } = answer;
  return !isDismissed && (outcome === "expired" || outcome === "closed") ? outcome : undefined;
}

const isWanted = (one: EndedRequest): boolean => !one.isFetched || lapseReason(one) !== undefined;

/** Whether both are one and the same program, as far as is known. */
const isSameClient = (one: Caller, other: Caller): boolean =>
  one.id === other.id && one.clientId !== undefined && one.clientId === other.clientId;

function requireChoice({ choices }: InputRequest, text: string): void {
  if (!choices || choices.some(({ value }) => value === text)) return;
  throw new NacreError("invalid_argument", "text: is none of the choices of this question", {
    field: "text",
    suggestion: `Answer with one of: ${choices.map(({ value }) => value).join(", ")}. Say more in \`note\`.`,
  });
}

const notOpen = (requestId: string): NacreError =>
  new NacreError("conflict", `no request for input ${requestId} is open`, {
    field: "requestId",
    suggestion: "It was answered, withdrawn or lapsed; look at the open requests of the terminal.",
  });

const ambiguousRequest = (named: string, candidates: readonly string[]): NacreError =>
  new NacreError("invalid_argument", `${named} is ambiguous: it matches ${candidates.join(", ")}`, {
    field: "requestId",
    suggestion: "Give more of the id.",
    details: { candidates },
  });

const unknownRequest = (requestId: string): NacreError =>
  new NacreError("conflict", `nothing is known of a request for input ${requestId}`, {
    field: "requestId",
    suggestion:
      "Only the newest that ended are kept, over a restart only what was not fetched. Ask again.",
  });

const notYours = (requestId: string): NacreError =>
  new NacreError("forbidden", `${requestId} was asked by somebody else`, {
    suggestion: "Only who asked and the operator can withdraw a question.",
  });

const wouldRun = (): NacreError =>
  new NacreError("conflict", "a shell is at its prompt and would run the answer as a command", {
    field: "kind",
    suggestion:
      'Ask with `kind: "answer"`, whose answer is told to you; or with `type` while a program reads it.',
  });
