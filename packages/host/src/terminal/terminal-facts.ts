import type { ClaimChange } from "../claim/claim-rules.ts";
import type { PtyExit } from "../pty/pty.ts";
import type { FactOf } from "../recording/recorded-entry.ts";

/** What is recorded of a change of the claim. */
export function claimFact({ state, reason, by, note }: ClaimChange): FactOf<"claim"> {
  return {
    type: "claim",
    claim: state.claim,
    epoch: state.epoch,
    reason,
    ...(by === undefined ? {} : { by }),
    ...(note === undefined ? {} : { note }),
  };
}

/** What is recorded of the end of the program. */
export function exitFact({ exitCode, signal, drained, outputBytes }: PtyExit): FactOf<"exit"> {
  return {
    type: "exit",
    exitCode: exitCode ?? null,
    ...(signal === undefined ? {} : { signal }),
    ...(drained ? {} : { drained: false }),
    outputBytes,
  };
}
