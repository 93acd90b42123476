import type { ClaimNote, ClaimState, TerminalId } from "@nacre/contracts";
import { ClaimNote as Note } from "@nacre/contracts";
import { z } from "zod";
import { holderOf } from "../driver.ts";
import { terminalId, timeoutMs } from "../fields.ts";
import { CHANGES, defineTool, type ToolCall } from "../tool.ts";

const Result = z.object({
  terminal_id: z.string(),
  outcome: z
    .string()
    .describe(
      "`taken`, `handed_back`, or what became of the question: `granted`, `denied`, `expired`.",
    ),
  held_by: z.string().optional().describe("Who drives the terminal now."),
  epoch: z.int().optional().describe("The number of this claim in its terminal."),
  note: z.string().optional().describe("What was said along with it."),
});

/** How long a question to the holder stands. */
const DEFAULT_QUESTION_MS = 120_000;

/** Changes who drives a terminal. */
export const claimTool = defineTool({
  name: "terminal_claim",
  title: "Take, ask for or give back control",
  description:
    "Changes who drives a terminal: `take` it, `hand_back` to whom it was taken from, or `request` it from whoever holds it and wait for the answer. Leave a terminal that a person drives alone, unless it is given to you.",
  input: z.strictObject({
    terminal_id: terminalId,
    action: z.enum(["take", "hand_back", "request"]).describe("What to do."),
    note: Note.optional().describe("A few words for whoever reads it."),
    timeout_ms: timeoutMs(
      `How long a request waits for its answer. Default ${DEFAULT_QUESTION_MS}.`,
    ),
  }),
  output: Result,
  hints: CHANGES,
  run: async (input, call) => {
    const { terminal_id: id, action, note } = input;
    const said = note === undefined ? {} : { note };
    switch (action) {
      case "take":
        // What a person holds is asked for, never taken.
        return told(id, "taken", await call.ask("moveClaim", { id, takeover: false, ...said }));
      case "hand_back":
        return told(id, "handed_back", await call.ask("handBackClaim", { id, ...said }));
      case "request":
        return await request(call, {
          id,
          note,
          timeoutMs: input.timeout_ms ?? DEFAULT_QUESTION_MS,
        });
    }
  },
});

const told = (id: TerminalId, outcome: string, { claim, epoch }: ClaimState) => ({
  terminal_id: id,
  outcome,
  held_by: holderOf(claim),
  epoch,
});

interface Question {
  readonly id: TerminalId;
  readonly note: ClaimNote | undefined;
  readonly timeoutMs: number;
}

async function request(call: ToolCall, { id, note, timeoutMs: deadline }: Question) {
  const answer = await call.ask("requestControl", {
    id,
    wait: true,
    timeoutMs: deadline,
    ...(note === undefined ? {} : { note }),
  });
  return {
    terminal_id: id,
    outcome: answer.outcome,
    ...(answer.by === undefined ? {} : { held_by: answer.by }),
    ...(answer.note === undefined ? {} : { note: answer.note }),
  };
}
