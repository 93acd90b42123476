import type { Caller, Via } from "@nacre/contracts";

/** Who asks, by which wire, and until when. */
export interface CallContext {
  readonly caller: Caller;
  readonly via: Via;
  /** Where the connection really comes from, for the audit. */
  readonly peer?: string | undefined;
  /** Fires when the client is gone: nobody waits for an answer any more. */
  readonly signal?: AbortSignal | undefined;
}
