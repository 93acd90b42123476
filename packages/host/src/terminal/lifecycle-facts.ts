// What is recorded of the life of a terminal: how it begins, who drives it, how it ends.
import { type LostReason, NacreError, type Size } from "@nacre/contracts";
import type { ClaimChange } from "../claim/claim-rules.ts";
import type { PtyExit } from "../pty/pty.ts";
import type { Fact, FactOf } from "../recording/recorded-entry.ts";
import type { TerminalInit } from "./terminal-init.ts";

/** What is recorded before anything else: how a terminal begins, or what is missing before it goes on. */
export function firstFacts({ size, claim, cwdFallback, earlier }: TerminalInit): readonly Fact[] {
  if (!earlier) return [headerFact(size, cwdFallback), claimFact(claim)];
  const { lostBytes } = earlier;
  return lostBytes > 0 ? [{ type: "gap", lostBytes, reason: "restart" }] : [];
}

const headerFact = (size: Size, cwdFallback: true | undefined): FactOf<"header"> => ({
  type: "header",
  ...size,
  ...(cwdFallback ? { cwdFallback } : {}),
});

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

/** What is recorded when nobody saw the program end. */
export const lostFact = (lostReason: LostReason, outputBytes?: number): FactOf<"exit"> => ({
  type: "exit",
  exitCode: null,
  ...(outputBytes === undefined ? {} : { outputBytes }),
  lostReason,
});

/** Why a Pty that fails is lost; nothing when somebody else has it now, who goes on with its recording. */
export function lostReasonOf(error: unknown): LostReason | undefined {
  return error instanceof NacreError && error.code === "conflict" ? undefined : "keeperEnded";
}

/** What is recorded of the end of the program. */
export function exitFact(exit: PtyExit): FactOf<"exit"> {
  const { exitCode, signal, limitReached, drained, outputBytes } = exit;
  return {
    type: "exit",
    exitCode: exitCode ?? null,
    ...(signal === undefined ? {} : { signal }),
    ...(limitReached === undefined ? {} : { limitReached }),
    ...(drained ? {} : { drained: false }),
    outputBytes,
  };
}
