import type { SubscriptionMessage, SubscriptionName } from "@nacre/contracts";

/** A running feed, read by one loop at its own pace; it ends when it is disposed of, the loop is left, or the client is gone. */
export interface Feed<Name extends SubscriptionName>
  extends AsyncIterableIterator<SubscriptionMessage<Name>>, Disposable {}

/** Ends something when the client is gone; to be disposed of with it, for a client may outlive many feeds. */
export function disposeOnAbort(signal: AbortSignal | undefined, feed: Disposable): Disposable {
  const end = (): void => feed[Symbol.dispose]();
  if (signal?.aborted) end();
  else signal?.addEventListener("abort", end, { once: true });
  return { [Symbol.dispose]: () => signal?.removeEventListener("abort", end) };
}

/** A feed that ends with its client. */
export class ClientFeed<Name extends SubscriptionName> implements Feed<Name> {
  readonly #feed: Feed<Name>;
  readonly #watch: Disposable;

  constructor(feed: Feed<Name>, signal: AbortSignal | undefined) {
    this.#feed = feed;
    this.#watch = disposeOnAbort(signal, feed);
  }

  next(): Promise<IteratorResult<SubscriptionMessage<Name>, undefined>> {
    return this.#feed.next();
  }

  return(): Promise<IteratorResult<SubscriptionMessage<Name>, undefined>> {
    this[Symbol.dispose]();
    return Promise.resolve({ done: true, value: undefined });
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  [Symbol.dispose](): void {
    this.#watch[Symbol.dispose]();
    this.#feed[Symbol.dispose]();
  }
}
