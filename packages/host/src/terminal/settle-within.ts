/** Waits for something that goes on by itself, but no longer than this; what it throws in time is thrown. */
export async function settleWithin(work: Promise<unknown>, maxMs: number): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, maxMs);
  work.then(() => resolve(), reject);
  try {
    await promise;
  } finally {
    clearTimeout(timer);
  }
}
