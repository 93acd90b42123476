import { ClaimNote, type ClaimState, type TerminalId } from "@nacre/contracts";
import { settleWithin } from "../../../base/settle-within.ts";
import { z } from "zod";
import { holderOf } from "../claim-notices.ts";
import { DEFAULT_YIELD_MS, terminalId, timeoutMs, yieldTimeMs } from "../tool-fields.ts";
import { CHANGE_HINTS, defineTool } from "../tool.ts";

const ClaimResult = z.object({
  terminal_id: z.string(),
  outcome: z
    .string()
    .describe(
      "`taken`, `handed_back`, or what became of the question: `granted`, `denied`, `expired`, `pending` while nobody answered.",
    ),
  held_by: z.string().optional().describe("Who drives the terminal now."),
  epoch: z.int().optional().describe("The number of this claim in its terminal."),
  note: z.string().optional().describe("What was said along with it."),
  next: z.string().optional().describe("What to do while it is pending."),
});

const WAIT_FOR_IT =
  "The question stands. The next answer about this terminal without `driver`, or with `held_by` `you`, says that it is yours; type nothing before.";

const DEFAULT_QUESTION_MS = 120_000;

export const claimTool = defineTool({
  name: "terminal_claim",
  title: "Take, ask for or give back control",
  description:
    "Changes who drives a terminal: `take` it, `hand_back` to whom it was taken from, or `request` it from whoever holds it, which answers `pending` when nobody replies within yield_time_ms. Leave a terminal that a person drives alone, unless it is given to you.",
  input: z.strictObject({
    terminal_id: terminalId,
    action: z.enum(["take", "hand_back", "request"]).describe("What to do."),
    note: ClaimNote.optional().describe("A few words for whoever reads it."),
    timeout_ms: timeoutMs(`How long a request stands. Default ${DEFAULT_QUESTION_MS}.`),
    yield_time_ms: yieldTimeMs().describe(
      `How long to wait for the reply to a request. Default ${DEFAULT_YIELD_MS}.`,
    ),
  }),
  output: ClaimResult,
  hints: CHANGE_HINTS,
  run: async (input, call) => {
    const { terminal_id: id, action, note } = input;
    switch (action) {
      case "take":
        // What a person holds is asked for, never taken.
        return formatClaim(id, "taken", await call.ask("moveClaim", { id, takeover: false, note }));
      case "hand_back":
        return formatClaim(id, "handed_back", await call.ask("handBackClaim", { id, note }));
      case "request": {
        const { timeout_ms: deadline = DEFAULT_QUESTION_MS, yield_time_ms = DEFAULT_YIELD_MS } =
          input;
        // The question stands until its own deadline, whoever waits for it.
        const asked = call.ask("requestControl", { id, wait: true, timeoutMs: deadline, note });
        const answer = await settleWithin(asked, yield_time_ms);
        if (answer === undefined) return { terminal_id: id, outcome: "pending", next: WAIT_FOR_IT };
        const { outcome, by, note: said } = answer;
        return { terminal_id: id, outcome, held_by: by, note: said };
      }
    }
  },
});

const formatClaim = (id: TerminalId, outcome: string, { claim, epoch }: ClaimState) => ({
  terminal_id: id,
  outcome,
  held_by: holderOf(claim),
  epoch,
});
