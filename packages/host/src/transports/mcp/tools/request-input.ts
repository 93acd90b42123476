import {
  DEFAULT_INPUT_REQUEST_MS,
  InputRequest,
  type OperationInput,
  type RequestInputResult,
} from "@nacre/contracts";
import { z } from "zod";
import { endingFields, terminalId, timeoutMs } from "../fields.ts";
import { presentPosition } from "../read-shown.ts";
import { readableText } from "../readable-text.ts";
import { CHANGES, defineTool } from "../tool.ts";

const Outcome = z.enum(["answered", "declined", "no_answer", "exited"]);

/** Asks a person to type something into a terminal. */
export const requestInputTool = defineTool({
  name: "terminal_request_input",
  title: "Ask a person to type",
  description:
    "Asks a person to type into a terminal what you must not know or cannot decide: a password, a token, a choice. Call it while the program waits for that input. Waits until somebody has typed it, has declined, or timeout_ms has passed. What was typed goes to the program and is never told to you.",
  input: z.strictObject({
    terminal_id: terminalId,
    prompt: InputRequest.shape.prompt.describe(
      "What the person is asked for and what it is used for, on one line.",
    ),
    secret: z
      .boolean()
      .optional()
      .describe(
        "Whether nobody may see what is typed; when absent, whether the program asks for a secret now.",
      ),
    timeout_ms: timeoutMs(`How long to wait; ${DEFAULT_INPUT_REQUEST_MS} when absent.`),
  }),
  output: z.object({
    outcome: Outcome.describe(
      "`answered` once somebody has typed it, `declined` when somebody does not want to, `no_answer` after timeout_ms, `exited` when the program ended before.",
    ),
    terminal_id: endingFields.terminal_id,
    still_running: endingFields.still_running,
    answered_by: z.string().optional().describe("Who answered or declined."),
    note: z.string().optional().describe("What that person said to you."),
    cursor: z.string().describe("Where to go on with terminal_read or terminal_wait."),
  }),
  hints: CHANGES,
  run: async (input, call) => {
    const id = input.terminal_id;
    const { after } = await presentPosition(call, id);
    const { outcome, by, note } = await call.ask("requestInput", questionOf(input));
    const told = outcomeOf(outcome);
    return {
      outcome: told,
      terminal_id: id,
      still_running: told !== "exited",
      ...(by === undefined ? {} : { answered_by: by }),
      ...(note === undefined ? {} : { note: readableText(note) }),
      cursor: String(after),
    };
  },
});

interface Asked extends Pick<OperationInput<"requestInput">, "prompt" | "secret"> {
  readonly terminal_id: OperationInput<"requestInput">["id"];
  readonly timeout_ms?: number | undefined;
}

const questionOf = ({ terminal_id: id, prompt, secret, timeout_ms }: Asked) => ({
  id,
  prompt,
  wait: true,
  timeoutMs: timeout_ms ?? DEFAULT_INPUT_REQUEST_MS,
  ...(secret === undefined ? {} : { secret }),
});

function outcomeOf(outcome: RequestInputResult["outcome"]): z.infer<typeof Outcome> {
  switch (outcome) {
    case "answered":
    case "declined":
      return outcome;
    case "closed":
      return "exited";
    case "expired":
    case "pending":
    case "withdrawn":
      return "no_answer";
  }
}
