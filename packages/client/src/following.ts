/** Messages of a feed, for one loop; leaving the loop, or disposing, ends the feed on both sides, even while it waits. */
export interface Following<Message>
  extends AsyncIterableIterator<Message, undefined>, AsyncDisposable {}

/** Makes a feed of a generator, which is told by a signal when nobody listens any more. */
export function following<Message>(
  make: (signal: AbortSignal) => AsyncGenerator<Message, void>,
  signal?: AbortSignal,
): Following<Message> {
  const ending = new AbortController();
  const generator = make(signal ? AbortSignal.any([signal, ending.signal]) : ending.signal);
  const end = async (): Promise<IteratorResult<Message, undefined>> => {
    ending.abort();
    await generator.return();
    return { done: true, value: undefined };
  };
  return {
    next: async () => {
      const result = await generator.next();
      return result.done ? { done: true, value: undefined } : result;
    },
    return: end,
    [Symbol.asyncIterator]() {
      return this;
    },
    [Symbol.asyncDispose]: async () => {
      await end();
    },
  };
}
