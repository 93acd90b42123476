import {
  type OperationName,
  type OperationOutput,
  type SubscriptionMessage,
  type SubscriptionName,
  TerminalId,
} from "@nacre/contracts";
import type { CallContext } from "../../../operations/call-context.ts";
import type { RouterOptions } from "../route.ts";

/** A feed that a test speaks by itself. */
export class ScriptedFeed<Message> implements AsyncIterable<Message>, Disposable {
  readonly #queue: (Message | Error | undefined)[] = [];
  #wake: (() => void) | undefined;
  readonly ended = Promise.withResolvers<void>();
  /** How many messages were taken. */
  taken = 0;

  say(...messages: readonly Message[]): void {
    this.#queue.push(...messages);
    this.#wake?.();
  }

  /** Ends the feed, or lets it fail. */
  end(error?: Error): void {
    this.#queue.push(error);
    this.#wake?.();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Message, undefined> {
    for (;;) {
      while (this.#queue.length === 0) {
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
      }
      const next = this.#queue.shift();
      if (next === undefined) return undefined;
      if (next instanceof Error) throw next;
      this.taken += 1;
      yield next;
    }
  }

  [Symbol.dispose](): void {
    this.ended.resolve();
    this.end();
  }
}

/** What was asked of operations. */
interface Asked {
  readonly name: string;
  readonly input: unknown;
  readonly context: CallContext;
}

/** Operations that answer what a test says; for what the transport does by itself. */
export class ScriptedOperations {
  readonly asked: Asked[] = [];
  readonly feeds: ScriptedFeed<unknown>[] = [];
  answer: (name: OperationName, input: unknown) => unknown = () => ({});
  /** What a subscription does before there is a feed. */
  check: (name: SubscriptionName) => void = () => undefined;
  /** What an export gives. */
  pieces: () => AsyncGenerator<Uint8Array<ArrayBuffer>> = async function* () {};
  #waiting: ((feed: ScriptedFeed<unknown>) => void) | undefined;

  /** The next feed that somebody follows. */
  nextFeed<Name extends SubscriptionName>(): Promise<ScriptedFeed<SubscriptionMessage<Name>>> {
    return new Promise((resolve) => {
      this.#waiting = resolve as (feed: ScriptedFeed<unknown>) => void;
    });
  }

  /** The operations as a router takes them. */
  get port(): RouterOptions["operations"] {
    return {
      call: async <Name extends OperationName>(
        name: Name,
        input: unknown,
        context: CallContext,
      ) => {
        this.asked.push({ name, input, context });
        return this.answer(name, input) as OperationOutput<Name>;
      },
      follow: async (name, input, context) => {
        this.asked.push({ name, input, context });
        this.check(name);
        const feed = new ScriptedFeed<SubscriptionMessage<typeof name>>();
        this.feeds.push(feed as ScriptedFeed<unknown>);
        this.#waiting?.(feed as ScriptedFeed<unknown>);
        return feed;
      },
      exportRecording: async (input, context) => {
        this.asked.push({ name: "exportRecording", input, context });
        return { fileName: "terminal-a1.html", mediaType: "text/html", pieces: this.pieces() };
      },
      importRecording: async (input, pieces, context) => {
        this.asked.push({ name: "importRecording", input, context });
        let entries = 0;
        for await (const piece of pieces) entries += piece.byteLength;
        return { id: TerminalId.parse("terminal:a1"), entries };
      },
    };
  }
}
