// A terminal as its channel reads it: facts, content, and every entry from a moment on.
import { setTimeout as delay } from "node:timers/promises";
import { NacreError, type TerminalId } from "@nacre/contracts";
import type { Attachment } from "../../../operations/attachment.ts";
import type { CallContext } from "../../../operations/call-context.ts";
import type { Operations } from "../../../operations/operations.ts";

interface SourceFollowerDeps {
  /** The feed has not started. */
  readonly source: TerminalSource;
  /** Continues after an entry. */
  reopen(after: number): Promise<TerminalSource>;
  /** Delay before a failed feed is reopened. */
  readonly retryMs: number;
  /** The last entry taken. */
  position(): number;
  handleMessage(message: SourceMessage): void;
  readonly handleProblem: (error: unknown) => void;
}

/** Follows a terminal's feed, across disk failures. */
export class SourceFollower implements Disposable {
  readonly #deps: SourceFollowerDeps;
  readonly #ended = new AbortController();
  #source: TerminalSource;

  constructor(deps: SourceFollowerDeps) {
    this.#deps = deps;
    this.#source = deps.source;
  }

  get source(): TerminalSource {
    return this.#source;
  }

  /** Starts synchronously; resolves at the end, or once disposed. */
  async run(): Promise<void> {
    for (;;) {
      try {
        await this.#runOnce();
        return;
      } catch (error) {
        this.#deps.handleProblem(error);
      }
      if (!(await this.#reopen())) return;
    }
  }

  [Symbol.dispose](): void {
    this.#ended.abort();
    this.#source[Symbol.dispose]();
  }

  async #runOnce(): Promise<void> {
    for (;;) {
      const { value: message } = await this.#source.next();
      if (message === undefined || this.#ended.signal.aborted) return;
      this.#deps.handleMessage(message);
    }
  }

  /** Retries; false when the terminal is gone or nobody waits. */
  async #reopen(): Promise<boolean> {
    const { signal } = this.#ended;
    this.#source[Symbol.dispose]();
    while (!signal.aborted) {
      try {
        await delay(this.#deps.retryMs, undefined, { signal, ref: false });
        this.#source = await this.#deps.reopen(this.#deps.position());
        if (!signal.aborted) return true;
        this.#source[Symbol.dispose]();
      } catch (error) {
        if (signal.aborted) return false;
        if (error instanceof NacreError && error.code === "terminal_not_found") return false;
        this.#deps.handleProblem(error);
      }
    }
    return false;
  }
}

/** For those who wait for an entry. */
export class FeedPosition {
  #sequence: number;
  #isOver = false;
  #waiting: { readonly sequence: number; readonly resolve: () => void }[] = [];

  constructor(sequence: number) {
    this.#sequence = sequence;
  }

  get sequence(): number {
    return this.#sequence;
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** Resolves when everything up to an entry was taken, or the feed ended. */
  async reached(sequence: number): Promise<void> {
    if (this.#isOver || this.#sequence >= sequence) return;
    await new Promise<void>((resolve) => {
      this.#waiting.push({ sequence, resolve });
    });
  }

  moveTo(sequence: number): void {
    this.#sequence = sequence;
    if (this.#waiting.length > 0) this.#wake();
  }

  end(): void {
    this.#isOver = true;
    this.#wake();
  }

  #wake(): void {
    const waiting = this.#waiting;
    const isDue = (sequence: number): boolean => this.#isOver || sequence <= this.#sequence;
    this.#waiting = waiting.filter(({ sequence }) => !isDue(sequence));
    for (const { sequence, resolve } of waiting) if (isDue(sequence)) resolve();
  }
}

/** The feed starts with the first `next()`. */
export type TerminalSource = Pick<
  Attachment,
  | "terminalId"
  | "facts"
  | "lastSequence"
  | "readContent"
  | "onChange"
  | "next"
  | typeof Symbol.dispose
>;

export type SourceMessage = Exclude<
  Awaited<ReturnType<TerminalSource["next"]>>["value"],
  undefined
>;

export type SourceEntry = Extract<SourceMessage, { kind: "entry" }>["entry"];

interface SourceOptions {
  readonly id: TerminalId;
  readonly context: CallContext;
  readonly after?: number | undefined;
  /** Viewers by this channel. */
  readonly countViewers: () => number;
}

/** Continues after an entry, or starts after the turn of its first `next()`. */
export async function openSource(
  operations: Pick<Operations, "attach">,
  { id, context, after, countViewers }: SourceOptions,
): Promise<TerminalSource> {
  let attachment: TerminalSource | undefined = undefined;
  const start = {
    // Evaluated when the feed starts: it continues from the state known in that turn.
    get after(): number | undefined {
      return after ?? attachment?.lastSequence;
    },
    whenBehind: "replay",
    isInternal: true,
    countViewers,
  } as const;
  attachment = await operations.attach(id, start, context);
  return attachment;
}
