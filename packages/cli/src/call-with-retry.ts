import { setTimeout as sleep } from "node:timers/promises";
import { neverArrived } from "@nacre/client/quick";
import type { OperationInput, OperationName } from "@nacre/contracts";
import { NacreError } from "@nacre/contracts/error";

/** A daemon that is stopping or being replaced is gone after a few of these. */
const MAX_TRIES = 20;

/** Linear backoff. */
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
  /** Finds or starts the daemon; a failure here is not retried. */
  connect(): Promise<() => Promise<Answer>>;
  /** Drops the connection. */
  forget(): void;
  /** Idempotent. */
  readonly isRepeatable: boolean;
  /** The error when it is unknown whether it was done; default: the original error. */
  readonly inDoubt?: ((error: unknown) => NacreError) | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Asks a daemon, and its successor if it ended before it answered. */
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

/** A successor may answer; a daemon that hangs has none. */
const isLost = (error: unknown): boolean => isAway(error) && error.details?.["hangs"] !== true;
