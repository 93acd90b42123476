import type { Caller, TerminalId, Via } from "@nacre/contracts";

/** Who asks, by which wire, and until when. */
export interface CallContext {
  readonly caller: Caller;
  readonly via: Via;
  /** Where the connection really comes from, for the audit. */
  readonly peer?: string | undefined;
  /** The terminal in which the client runs, where it says so. */
  readonly inside?: TerminalId | undefined;
  /** Fires when the client is gone: nobody waits for an answer any more. */
  readonly signal?: AbortSignal | undefined;
}

/** Who waits for what takes long, and until when. */
export const requesterOf = ({ caller, signal }: Pick<CallContext, "caller" | "signal">) => ({
  caller: caller.id,
  signal,
});

/** What `requesterOf` tells. */
export type Requester = ReturnType<typeof requesterOf>;
