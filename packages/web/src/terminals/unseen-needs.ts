import { type Need, needsOf } from "@nacre/client";
import type { TerminalSummary } from "@nacre/contracts";
import { isSeen } from "./seen.ts";

/** What of a terminal waits for a person, without failures that somebody at this page has looked at. */
export const unseenNeeds = (terminal: TerminalSummary): readonly Need[] =>
  needsOf(terminal).filter(({ kind }) => kind !== "failed" || !isSeen(terminal));
