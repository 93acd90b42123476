import { NacreError, OPERATIONS, parse, Size, type TerminalId } from "@nacre/contracts";
import { requireScope } from "../auth/auth-context.ts";
import type { Registry } from "../registry/registry.ts";
import {
  type ContentOptions,
  factsOf,
  type TerminalContent,
  type TerminalFacts,
} from "../registry/terminal-facts.ts";
import type { FeedMessage, FeedOptions, TerminalSubscription } from "../registry/terminal-feed.ts";
import type { AuditDigest } from "./audit-facts.ts";
import type { AuditTrail } from "./audit-trail.ts";
import type { CallContext } from "./call-context.ts";
import { disposeOnAbort } from "./feed.ts";
import { InputAudit } from "./input-audit.ts";

type RunningTerminal = ReturnType<Registry["get"]>;

/** What becomes of what does not fit, and who hears whether it is kept back from everybody else. */
export type AttachmentWriteOptions = Pick<
  Parameters<RunningTerminal["write"]>[1],
  "whenFull" | "handleTyped"
>;

type ReadableTerminal = Awaited<ReturnType<Registry["readable"]>>;

export interface AttachmentDeps {
  readonly terminal: ReadableTerminal;
  readonly registry: Registry;
  readonly trail: AuditTrail;
  readonly digest: AuditDigest;
  readonly context: CallContext;
  /** Shown inside another terminal. */
  readonly nested?: Disposable | undefined;
}

/** A terminal for byte transports: its feed with bytes, and its input; detached when disposed of. */
export class Attachment implements AsyncIterableIterator<FeedMessage, undefined>, Disposable {
  readonly terminalId: TerminalId;
  readonly #deps: AttachmentDeps;
  readonly #options: FeedOptions;
  #subscription: TerminalSubscription | undefined;
  readonly #audit: InputAudit;
  readonly #watch: Disposable;
  #isOver = false;

  constructor(deps: AttachmentDeps, options: FeedOptions) {
    const { terminal, trail, digest, context } = deps;
    this.#deps = deps;
    this.terminalId = terminal.id;
    // Shared channels are drawn for no caller in particular; whoever asks for a snapshot names one.
    this.#options = options.isInternal ? options : { ...options, caller: context.caller.id };
    // A viewer counts from the moment it attaches; internal readers start when they are ready.
    if (options.isInternal !== true) this.#subscription = terminal.subscribe(this.#options);
    this.#audit = new InputAudit({ trail, digest, terminalId: terminal.id, context });
    this.#watch = disposeOnAbort(context.signal, { [Symbol.dispose]: () => this.#end() });
  }

  get facts(): TerminalFacts {
    return factsOf(this.#deps.terminal);
  }

  get lastSequence(): number {
    return this.#deps.terminal.lastSequence;
  }

  /** In parts per command. */
  readContent(options?: ContentOptions): Promise<TerminalContent> {
    return this.#deps.terminal.reader.readContent(options);
  }

  onChange(listener: () => void): Disposable {
    return this.#deps.terminal.onChange(listener);
  }

  next(): Promise<IteratorResult<FeedMessage, undefined>> {
    if (this.#isOver) return Promise.resolve({ done: true, value: undefined });
    this.#subscription ??= this.#deps.terminal.subscribe(this.#options);
    return this.#subscription.next();
  }

  /** Nobody uses the bytes of entries up to this one any more. */
  release(sequence: number): void {
    this.#subscription?.release(sequence);
  }

  return(): Promise<IteratorResult<FeedMessage, undefined>> {
    this[Symbol.dispose]();
    return Promise.resolve({ done: true, value: undefined });
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  /** Types bytes, all of them or none. */
  async write(bytes: Uint8Array, options: AttachmentWriteOptions = {}): Promise<void> {
    await this.#drive(async (terminal) => {
      const handleTyped = (isWithheld: boolean): void => {
        this.#audit.recordTyped(bytes, isWithheld);
        options.handleTyped?.(isWithheld);
      };
      const { whenFull } = options;
      await terminal.write(bytes, { by: this.#deps.context.caller, handleTyped, whenFull });
    });
  }

  /** Resolves with the actual size. */
  async resize(asked: Size): Promise<Size> {
    return await this.#drive(async (terminal) => {
      const size = await terminal.resize(parse(Size, asked), this.#deps.context.caller);
      this.#audit.recordResize();
      return size;
    });
  }

  [Symbol.dispose](): void {
    this.#watch[Symbol.dispose]();
    this.#end();
    this.#audit[Symbol.dispose]();
  }

  #end(): void {
    this.#isOver = true;
    this.#deps.nested?.[Symbol.dispose]();
    this.#subscription?.[Symbol.dispose]();
  }

  async #drive<Result>(drive: (terminal: RunningTerminal) => Promise<Result>): Promise<Result> {
    const { registry, context } = this.#deps;
    try {
      requireScope(OPERATIONS.sendInput.scopes, context.caller, "sendInput");
      return await drive(await registry.require(this.terminalId));
    } catch (error) {
      if (error instanceof NacreError) this.#audit.recordRefusal(error);
      throw error;
    }
  }
}
