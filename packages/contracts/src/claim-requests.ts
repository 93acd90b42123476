import { z } from "zod";
import { Claim, ClaimEpoch, ClaimState } from "./claim.ts";
import { ClaimReason } from "./entry-fields.ts";
import { CallerId, TerminalId } from "./ids.ts";
import { timeoutMs } from "./output.ts";
import { ClaimNote, ControlRequest } from "./terminal-state.ts";

const note = ClaimNote.optional();

export const ReadClaimInput = z
  .strictObject({ id: TerminalId.meta({ description: "The terminal whose claim to read." }) })
  .meta({ description: "Whose claim to read." });
export type ReadClaimInput = z.infer<typeof ReadClaimInput>;

export const ClaimReading = z
  .strictObject({
    ...ClaimState.shape,
    holder: z.enum(["you", "other", "host"]).meta({
      description:
        "Who holds it, as whoever asks sees it: `you`, somebody `other`, or the `host` while nobody else is there to.",
    }),
    reason: ClaimReason.optional().meta({
      description: "Why the claim changed last; absent when nobody knows since a restart.",
    }),
    by: CallerId.optional().meta({
      description: "Who changed it; absent when the host itself did, or nobody knows.",
    }),
    note: ClaimNote.optional().meta({ description: "What was said along with the change." }),
  })
  .meta({ description: "Who drives a terminal, since when, and what was said about it." });
export type ClaimReading = z.infer<typeof ClaimReading>;

export const MoveClaimInput = z
  .strictObject({
    id: TerminalId.meta({ description: "The terminal whose claim to move." }),
    claim: Claim.optional().meta({
      description: "The claim wanted; the caller's own when absent.",
    }),
    note,
    epoch: ClaimEpoch.optional().meta({
      description: "The epoch the caller decided by; `conflict` when the claim moved since.",
    }),
    takeover: z.boolean().optional().meta({
      description:
        "False refuses an operator what somebody else holds, instead of taking it over; true when absent.",
    }),
  })
  .meta({ description: "Which claim a terminal is to have." });
export type MoveClaimInput = z.infer<typeof MoveClaimInput>;

export const HandBackClaimInput = z
  .strictObject({
    id: TerminalId.meta({ description: "The terminal to give back." }),
    note,
  })
  .meta({ description: "Which terminal to give back." });
export type HandBackClaimInput = z.infer<typeof HandBackClaimInput>;

/** Default time for an answer: a person may have to be found first. */
export const DEFAULT_CONTROL_TIMEOUT_MS = 120_000;

export const RequestControlInput = z
  .strictObject({
    id: TerminalId.meta({ description: "The terminal to get control of." }),
    note,
    timeoutMs: timeoutMs(DEFAULT_CONTROL_TIMEOUT_MS),
    wait: z.boolean().optional().meta({
      description: "Whether to answer only when the request was answered or lapsed.",
    }),
  })
  .refine((input) => input.timeoutMs !== 0, {
    path: ["timeoutMs"],
    message: "must be more than 0",
  })
  .meta({ description: "A question to the holder of a terminal." });
export type RequestControlInput = z.infer<typeof RequestControlInput>;

export const RequestControlResult = z
  .strictObject({
    outcome: z.enum(["pending", "granted", "denied", "expired", "replaced", "closed"]).meta({
      description:
        "`pending` until it is answered; `granted`, `denied`, `expired` unanswered, `replaced` by a later one of the same caller, or `closed` with the terminal.",
    }),
    request: ControlRequest.meta({ description: "The request." }),
    by: CallerId.optional().meta({ description: "Who answered, where somebody did." }),
    note,
  })
  .meta({ description: "What became of a request for control." });
export type RequestControlResult = z.infer<typeof RequestControlResult>;

export const AnswerControlInput = z
  .strictObject({
    id: TerminalId.meta({ description: "The terminal that is asked for." }),
    requestId: ControlRequest.shape.requestId,
    grant: z.boolean().meta({ description: "Whether the asker gets the claim." }),
    note,
  })
  .meta({ description: "The answer to a request for control." });
export type AnswerControlInput = z.infer<typeof AnswerControlInput>;
