/** Undefined after the time limit; a later result or rejection is ignored. */
export async function settleWithin<Value>(
  work: Promise<Value>,
  maxMs: number,
): Promise<Value | undefined> {
  const { promise, resolve, reject } = Promise.withResolvers<Value | undefined>();
  const timer = setTimeout(() => resolve(undefined), maxMs);
  work.then(resolve, reject);
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
  }
}
