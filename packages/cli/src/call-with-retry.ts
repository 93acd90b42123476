import { setTimeout as sleep } from "node:timers/promises";
import { neverArrived } from "@nacre/client/quick";
import type { OperationInput, OperationName } from "@nacre/contracts";
import { NacreError } from "@nacre/contracts/error";

/** A daemon that ends, or is about to be replaced, is gone after some of these. */
const MAX_TRIES = 20;

/** Pauses grow by this much with each try. */
const PAUSE_MS = 50;

/** Where operations that only wait are told for how long. */
const WAIT_FIELDS: Readonly<Partial<Record<OperationName, string>>> = {
  waitFor: "timeoutMs",
  readInputRequest: "timeoutMs",
  readOutput: "waitMs",
};

/** What to ask for when so much time has passed since it was first asked: a wait goes on for what is left of it. */
export function withTimeLeft<Name extends OperationName>(
  name: Name,
  input: OperationInput<Name>,
  passedMs: number,
): OperationInput<Name> {
  const field = WAIT_FIELDS[name] ?? "";
  const fields: Readonly<Record<string, unknown>> = { ...input };
  const waitMs = fields[field];
  if (typeof waitMs !== "number") return input;
  return { ...input, [field]: Math.max(0, Math.ceil(waitMs - passedMs)) };
}

/** One request, and what to do where its answer gets lost. */
export interface RetriedCall<Answer> {
  /** Finds the daemon, and starts one where none runs; what fails here is not tried again. */
  connect(): Promise<() => Promise<Answer>>;
  /** The connection is of no use any more. */
  forget(): void;
  /** Whether asking twice does no more than asking once. */
  readonly isRepeatable: boolean;
  /** What to say when nobody can tell whether it was done; what went wrong itself when absent. */
  readonly inDoubt?: ((error: unknown) => NacreError) | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Asks a daemon, and its successor where it ended before it answered. */
export async function callWithRetry<Answer>(question: RetriedCall<Answer>): Promise<Answer> {
  const { isRepeatable, inDoubt, signal } = question;
  let isInDoubt = false;
  for (let tries = 1; ; tries++) {
    let isFinal = true;
    try {
      const ask = await question.connect();
      isFinal = false;
      return await ask();
    } catch (error) {
      if (!isFinal && isAway(error) && signal?.aborted !== true) question.forget();
      isInDoubt ||= !isFinal && !neverArrived(error);
      const mayAsk = !isFinal && isLost(error) && (isRepeatable || !isInDoubt);
      const isOver = !mayAsk || tries === MAX_TRIES || signal?.aborted === true;
      if (isOver) throw isInDoubt && isAway(error) && inDoubt ? inDoubt(error) : error;
    }
    await sleep(tries * PAUSE_MS);
  }
}

const isAway = (error: unknown): error is NacreError =>
  error instanceof NacreError && error.code === "unavailable";

/** Whether another daemon may answer; one that hangs has none. */
const isLost = (error: unknown): boolean => isAway(error) && error.details?.["hangs"] !== true;
