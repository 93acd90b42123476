import type { EntryType, TerminalFeedInput, TerminalFeedMessage } from "@nacre/contracts";
import {
  type FeedOptions,
  type TerminalSubscription,
  toPublicMessage,
} from "../terminal/subscription.ts";
import type { ReadableTerminal } from "./registry.ts";

export type { FeedMessage, FeedOptions, TerminalSubscription } from "../terminal/subscription.ts";

/** A snapshot, then every entry once. */
export class TerminalFeed
  implements AsyncIterableIterator<TerminalFeedMessage, undefined>, Disposable
{
  readonly #subscription: TerminalSubscription;
  readonly #view: TerminalFeedInput["view"];
  readonly #types: ReadonlySet<EntryType> | undefined;

  /** `caller`: id of the follower. */
  constructor(
    terminal: ReadableTerminal,
    { after, view, types, caller }: Omit<TerminalFeedInput, "id"> & Pick<FeedOptions, "caller">,
  ) {
    this.#subscription = terminal.subscribe({ ...startOf(terminal, after), caller });
    this.#view = view;
    this.#types = types && new Set(types);
  }

  async next(): Promise<IteratorResult<TerminalFeedMessage, undefined>> {
    for (;;) {
      const result = await this.#subscription.next();
      if (result.done) return result;
      const { value } = result;
      if (value.kind === "entry" && this.#types?.has(value.entry.type) === false) continue;
      return { done: false, value: toPublicMessage(value, this.#view) };
    }
  }

  return(): Promise<IteratorResult<TerminalFeedMessage, undefined>> {
    this[Symbol.dispose]();
    return Promise.resolve({ done: true, value: undefined });
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  [Symbol.dispose](): void {
    this.#subscription[Symbol.dispose]();
  }
}

/** A sequence beyond the end belongs to another recording: start from a snapshot. */
function startOf({ lastSequence }: ReadableTerminal, after: number | undefined): FeedOptions {
  return after !== undefined && after <= lastSequence ? { after } : {};
}
