import {
  type CommandId,
  DEFAULT_WAIT_MS,
  type InputNeeded,
  type RecordingBlocked,
  type WaitCondition,
  type WaitInput,
  type WaitResult,
} from "@nacre/contracts";
import type { DrawRequester } from "../screen/history-worker.ts";
import type { EntryWithViews } from "./appender.ts";
import type { Commands } from "./commands.ts";
import type { TerminalStatus } from "./terminal-data.ts";
import { createOutputMatcher, type OutputMatcher } from "./output-matcher.ts";
import type { FeedOptions, TerminalSubscription } from "./subscription.ts";
import type { TerminalReader } from "./terminal-reader.ts";

/** A recorder that is started anew is back within this; only who waits longer is told. */
const MAX_BLOCKED_MS = 2000;

/** Notices that a Terminal has not been recorded for a while, so that nobody waits for what cannot be seen. */
export class BlockedTimer implements Disposable {
  readonly #read: () => RecordingBlocked | undefined;
  readonly #handleBlocked: () => void;
  #timer: NodeJS.Timeout | undefined;

  constructor(read: () => RecordingBlocked | undefined, handleBlocked: () => void) {
    this.#read = read;
    this.#handleBlocked = handleBlocked;
    this.look();
  }

  /** Looks whether it is blocked now; to be called whenever that may have changed. */
  look(): void {
    if (this.#read() === undefined) {
      this[Symbol.dispose]();
      return;
    }
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      if (this.#read()) this.#handleBlocked();
    }, MAX_BLOCKED_MS);
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}

/** What of a Terminal can be waited for beside its entries; each with the newest entry when it came to be. */
export interface WaitStatus {
  /** The shell waits for a command line. */
  readonly prompt?: { readonly sequence: number } | undefined;
  readonly inputNeeded?: { readonly sequence: number; readonly needed: InputNeeded } | undefined;
  /** Nothing of it can be recorded now. */
  readonly blocked?: RecordingBlocked | undefined;
}

/** What a wait needs of its Terminal. */
export interface Waitable {
  readonly lastSequence: number;
  readonly waitStatus: WaitStatus;
  readonly status: Pick<TerminalStatus, "size">;
  subscribe(options: FeedOptions): TerminalSubscription;
  /** Calls back whenever the status may have changed. */
  onChange(listener: () => void): Disposable;
  readonly commands: Pick<Commands, "find">;
  readonly reader: Pick<TerminalReader, "readScreen">;
}

/** The screen is looked at this many times within the quiet time, at most every 20 ms. */
const LOOKS_PER_QUIET = 4;
const MIN_LOOK_MS = 20;

type WaitOutcome = Omit<WaitResult, "sequence">;

/** Waits until one of the conditions is met, the program ends, or the deadline passes, and says which it was. */
export async function waitFor(
  terminal: Waitable,
  input: Omit<WaitInput, "id">,
  requester: DrawRequester = {},
): Promise<WaitResult> {
  using wait = new Wait(terminal, input, requester);
  const { signal } = requester;
  const stop = (): void => wait.giveUp();
  if (signal?.aborted) stop();
  signal?.addEventListener("abort", stop, { once: true });
  try {
    return await wait.result;
  } finally {
    signal?.removeEventListener("abort", stop);
  }
}

class Wait implements Disposable {
  readonly #terminal: Waitable;
  readonly #requester: DrawRequester;
  readonly #until: readonly WaitCondition[];
  readonly #after: number | undefined;
  readonly #matchers: readonly OutputMatcher[];
  readonly #settled = Promise.withResolvers<WaitResult>();
  readonly #stack = new DisposableStack();
  readonly #timers = new Set<NodeJS.Timeout>();
  readonly #subscription: TerminalSubscription;
  #lastOutputAt = performance.now();

  constructor(
    terminal: Waitable,
    { until, after, timeoutMs = DEFAULT_WAIT_MS }: Omit<WaitInput, "id">,
    requester: DrawRequester,
  ) {
    this.#terminal = terminal;
    this.#requester = requester;
    this.#until = until;
    this.#after = after;
    this.#matchers = until.flatMap(
      (condition, index) => createOutputMatcher(condition, index, terminal.status.size) ?? [],
    );
    const from = after ?? terminal.lastSequence;
    this.#subscription = terminal.subscribe({
      after: from,
      whenBehind: "replay",
      isInternal: true,
    });
    this.#stack.use(this.#subscription);
    const blocked = this.#stack.use(
      new BlockedTimer(
        () => terminal.waitStatus.blocked,
        () => this.#settle({ outcome: "recordingBlocked" }),
      ),
    );
    const handleChange = (): void => {
      blocked.look();
      this.#checkStatus();
    };
    this.#stack.use(terminal.onChange(handleChange));
    this.#timer(timeoutMs, () => this.#settle({ outcome: "timeout" }));
    for (const condition of until) {
      if (condition.kind === "idle") this.#watchIdle(condition.quietMs);
      if (condition.kind === "screenStable") void this.#watchScreen(condition.quietMs);
      if (condition.kind === "commandEnd") void this.#checkEnded(condition.commandId);
    }
    this.#checkStatus();
    this.#follow().catch((error: unknown) => this.#settled.reject(error));
  }

  get result(): Promise<WaitResult> {
    return this.#settled.promise;
  }

  /** Nobody waits any more: as if the deadline had passed. */
  giveUp(): void {
    this.#settle({ outcome: "timeout" });
  }

  [Symbol.dispose](): void {
    for (const timer of this.#timers) clearTimeout(timer);
    this.#stack.dispose();
  }

  async #follow(): Promise<void> {
    for await (const message of this.#subscription) {
      if (message.kind === "entry") await this.#look(message);
    }
    this.#settle({ outcome: "exit" });
  }

  async #look({ entry, view, drawn = view }: EntryWithViews): Promise<void> {
    // What a person sees: a sequence that was never ended hides nothing that is waited for.
    if (drawn) {
      this.#lastOutputAt = performance.now();
      for (const matcher of this.#matchers) {
        const match = matcher.find(drawn);
        if (match !== undefined) this.#settle({ outcome: matcher.kind, match });
      }
    }
    if (entry.type === "resize") {
      for (const matcher of this.#matchers) matcher.resize({ cols: entry.cols, rows: entry.rows });
    }
    if (entry.type === "exit") this.#settle({ outcome: "exit" });
    if (entry.type === "commandEnd" && this.#wantsEndOf(entry.commandId)) {
      const command = await this.#terminal.commands.find(entry.commandId);
      this.#settle({ outcome: "commandEnd", ...(command ? { command } : {}) });
    }
  }

  #wantsEndOf(commandId: CommandId): boolean {
    return this.#until.some(
      (condition) =>
        condition.kind === "commandEnd" &&
        (condition.commandId === undefined || condition.commandId === commandId),
    );
  }

  /** A command may have ended before anybody waited for it. */
  async #checkEnded(commandId: CommandId | undefined): Promise<void> {
    if (commandId === undefined) return;
    const command = await this.#terminal.commands.find(commandId).catch(() => undefined);
    const last = command?.lastSequence;
    if (command && last !== undefined && last > (this.#after ?? 0)) {
      this.#settle({ outcome: "commandEnd", command }, last);
    }
  }

  #checkStatus(): void {
    const { prompt, inputNeeded } = this.#terminal.waitStatus;
    // Without `after`, every state counts as new, also one from before the first entry.
    const isNew = (sequence: number): boolean => !this.#after || sequence > this.#after;
    for (const { kind } of this.#until) {
      if (kind === "prompt" && prompt && isNew(prompt.sequence)) {
        this.#settle({ outcome: "prompt" }, prompt.sequence);
      }
      if (kind === "inputNeeded" && inputNeeded && isNew(inputNeeded.sequence)) {
        const { needed, sequence } = inputNeeded;
        this.#settle({ outcome: "inputNeeded", inputNeeded: needed }, sequence);
      }
    }
  }

  #watchIdle(quietMs: number): void {
    const rest = this.#lastOutputAt + quietMs - performance.now();
    if (rest <= 0) this.#settle({ outcome: "idle" });
    else this.#timer(Math.ceil(rest), () => this.#watchIdle(quietMs));
  }

  /** Output need not change what is seen, so the screen itself is looked at. */
  async #watchScreen(quietMs: number): Promise<void> {
    let seen = "";
    let sinceMs = performance.now();
    const look = async (): Promise<void> => {
      const { hash } = await this.#terminal.reader.readScreen("text", undefined, this.#requester);
      if (this.#stack.disposed) return;
      if (hash !== seen) sinceMs = performance.now();
      seen = hash;
      const rest = sinceMs + quietMs - performance.now();
      if (rest <= 0) return this.#settle({ outcome: "screenStable" });
      const pause = Math.max(MIN_LOOK_MS, Math.min(rest, quietMs / LOOKS_PER_QUIET));
      this.#timer(pause, () => void look().catch(this.#settled.reject));
    };
    await look().catch(this.#settled.reject);
  }

  #timer(ms: number, run: () => void): void {
    if (this.#stack.disposed) return;
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      run();
    }, ms);
    this.#timers.add(timer);
  }

  #settle(outcome: WaitOutcome, sequence = 0): void {
    const seen = Math.max(sequence, this.#subscription.position);
    const { blocked } = this.#terminal.waitStatus;
    const told = blocked ? { recordingBlocked: blocked } : {};
    this.#settled.resolve({ ...outcome, ...told, sequence: seen });
  }
}
