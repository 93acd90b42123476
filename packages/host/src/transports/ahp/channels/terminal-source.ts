// A terminal as its channel reads it: what can be said of it at once, its content, and every entry from a moment on.
import { setTimeout as delay } from "node:timers/promises";
import { NacreError, type TerminalId } from "@nacre/contracts";
import type { Attachment } from "../../../operations/attachment.ts";
import type { CallContext } from "../../../operations/call-context.ts";
import type { Operations } from "../../../operations/operations.ts";

interface SourceFollowerDeps {
  /** The terminal, whose feed has not begun. */
  readonly source: TerminalSource;
  /** Opens the terminal again, to go on after an entry. */
  reopen(after: number): Promise<TerminalSource>;
  /** A feed that failed is opened again after this. */
  readonly retryMs: number;
  /** The last entry that was taken. */
  position(): number;
  /** Takes the next message of the feed. */
  handleMessage(message: SourceMessage): void;
  readonly handleProblem: (error: unknown) => void;
}

/** Follows the feed of a terminal as fast as it comes, also over failures of the disk. */
export class SourceFollower implements Disposable {
  readonly #deps: SourceFollowerDeps;
  readonly #ended = new AbortController();
  #source: TerminalSource;

  constructor(deps: SourceFollowerDeps) {
    this.#deps = deps;
    this.#source = deps.source;
  }

  /** The terminal, as it can be read now. */
  get source(): TerminalSource {
    return this.#source;
  }

  /** Begins the feed at once; resolves when nothing more comes, or once disposed. */
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

  /** Opens the terminal again, however often it takes; false when it is gone or nobody waits. */
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

/** How far a feed was taken, for those who wait for an entry of it. */
export class FeedPosition {
  #sequence: number;
  #isOver = false;
  #waiting: { readonly sequence: number; readonly resolve: () => void }[] = [];

  constructor(sequence: number) {
    this.#sequence = sequence;
  }

  /** The last entry that was taken. */
  get sequence(): number {
    return this.#sequence;
  }

  /** Whether nothing more comes. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** Resolves when everything up to an entry was taken, or nothing more comes. */
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

/** What a channel needs of its terminal; its feed begins with the first `next()`. */
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

/** One message of a feed. */
export type SourceMessage = Exclude<
  Awaited<ReturnType<TerminalSource["next"]>>["value"],
  undefined
>;

/** One entry of a feed. */
export type SourceEntry = Extract<SourceMessage, { kind: "entry" }>["entry"];

interface SourceOptions {
  readonly id: TerminalId;
  readonly context: CallContext;
  readonly after?: number | undefined;
  /** How many look at the terminal by its channel. */
  readonly countViewers: () => number;
}

/** Opens a terminal; its feed goes on after an entry, or begins with what comes after the turn of its first `next()`. */
export async function openSource(
  operations: Pick<Operations, "attach">,
  { id, context, after, countViewers }: SourceOptions,
): Promise<TerminalSource> {
  let attachment: TerminalSource | undefined = undefined;
  const start = {
    // Looked at when the feed begins: what is known of the terminal in that turn is what it goes on from.
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
