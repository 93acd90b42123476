import { NacreError } from "@nacre/contracts";

/** Waits for work that goes on by itself, until it is done or nobody waits for it any more. */
export async function raceClientGone<Result>(
  work: Promise<Result>,
  signal: AbortSignal | undefined,
): Promise<Result> {
  if (signal === undefined) return await work;
  const gone = Promise.withResolvers<never>();
  const leave = (): void => gone.reject(clientGoneError());
  if (signal.aborted) leave();
  signal.addEventListener("abort", leave, { once: true });
  try {
    return await Promise.race([work, gone.promise]);
  } finally {
    signal.removeEventListener("abort", leave);
  }
}

/** Nobody is there to answer; what was asked for may go on. */
export const clientGoneError = (): NacreError =>
  new NacreError("unavailable", "the client is gone, nobody waits for this any more");
