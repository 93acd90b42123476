import type { Caller, TerminalId, Via } from "@nacre/contracts";

export interface CallContext {
  readonly caller: Caller;
  readonly via: Via;
  /** For the audit. */
  readonly peer?: string | undefined;
  /** The terminal in which the client itself runs. */
  readonly inside?: TerminalId | undefined;
  /** Aborted when the client is gone. */
  readonly signal?: AbortSignal | undefined;
}

export const requesterOf = ({ caller, signal }: Pick<CallContext, "caller" | "signal">) => ({
  caller: caller.id,
  signal,
});

export type Requester = ReturnType<typeof requesterOf>;
