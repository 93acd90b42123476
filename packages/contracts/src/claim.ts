import { z } from "zod";
import { labelText } from "./bounded-text.ts";
import { ClientId, Timestamp } from "./ids.ts";

/** Names in a claim come from other systems; the bound keeps a claim small on every wire. */
const MAX_CLAIM_NAME_LENGTH = 1024;

/** A name inside a claim, given by another system. */
export const claimName = (description: string) =>
  labelText({ description, maxLength: MAX_CLAIM_NAME_LENGTH });

/** Who drives a terminal now. Every terminal has exactly one claim. */
export const Claim = z
  .discriminatedUnion("kind", [
    z
      .strictObject({
        kind: z.literal("client").meta({ description: "A person or program drives directly." }),
        clientId: ClientId.meta({ description: "The client that drives the terminal." }),
      })
      .meta({ description: "The terminal is driven by a client." }),
    z
      .strictObject({
        kind: z.literal("session").meta({ description: "An agent's session drives." }),
        session: claimName("Address of the agent's session that drives the terminal."),
        chat: claimName("The chat the session belongs to, where it has one.").optional(),
        turnId: claimName("The turn inside the session; absent in the background.").optional(),
        toolCallId: claimName(
          "The tool call inside the turn; absent in the background.",
        ).optional(),
      })
      .meta({ description: "The terminal is driven by an agent's session." }),
  ])
  .meta({ description: "Who drives a terminal now; every terminal has exactly one claim." });
export type Claim = z.infer<typeof Claim>;

/**
 * Numbers the claims of one terminal from 1, which is recorded right after the header. Input sent under an older epoch
 * is refused.
 */
export const ClaimEpoch = z.int().min(1).meta({
  description: "Number of the claim in its terminal, from 1; grows by one with each change.",
});
export type ClaimEpoch = z.infer<typeof ClaimEpoch>;

export const ClaimState = z
  .strictObject({
    claim: Claim.meta({ description: "Who drives the terminal now." }),
    epoch: ClaimEpoch,
    since: Timestamp.meta({ description: "When this claim began." }),
  })
  .meta({ description: "The present claim of a terminal and since when it holds." });
export type ClaimState = z.infer<typeof ClaimState>;
