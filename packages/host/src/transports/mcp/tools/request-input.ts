import {
  InputChoice,
  InputRequest,
  InputRequestKind,
  invalidArgument,
  MAX_CHOICES,
  MAX_INPUT_REQUEST_MS,
  type OperationInput,
  type RequestInputResult,
} from "@nacre/contracts";
import { z } from "zod";
import { endingFields, MAX_YIELD_MS, terminalId, timeoutMs } from "../tool-fields.ts";
import { readEndPosition } from "../read-excerpt.ts";
import { readText } from "../../../base/text/output-text.ts";
import { CHANGE_HINTS, defineTool, type ToolCall } from "../tool.ts";

const Outcome = z.enum(["answered", "declined", "pending", "lapsed", "withdrawn", "exited"]);

const RequestInputArguments = z.strictObject({
  terminal_id: terminalId,
  prompt: InputRequest.shape.prompt
    .optional()
    .describe("The question and what the answer is used for, on one line; not with request_id."),
  kind: InputRequestKind.optional().describe(
    "`answer`: a decision or any text, which is told to you and never typed. `type`: the person's text is typed into the program that reads it now, and you are not told. When absent: `type` for a secret, otherwise `answer`.",
  ),
  choices: z
    .array(z.union([InputChoice.shape.value, InputChoice]))
    .min(1)
    .max(MAX_CHOICES)
    .optional()
    .describe(
      "The only answers there are, for `answer`: texts, or values with a label; people get a button for each.",
    ),
  secret: z
    .boolean()
    .optional()
    .describe(
      "Whether nobody may see what is typed, only for `type`; when absent, whether the program asks for a secret now.",
    ),
  expires_in_ms: z
    .int()
    .min(1)
    .max(MAX_INPUT_REQUEST_MS)
    .optional()
    .describe("Let the question lapse after so long; it stands until it is answered when absent."),
  request_id: InputRequest.shape.requestId
    .optional()
    .describe("Ask for the answer to an earlier question that was `pending`, by its request_id."),
  withdraw: z
    .boolean()
    .optional()
    .describe("Take the question with this request_id back: nobody has to answer it any more."),
  timeout_ms: timeoutMs(
    `How long to wait for the answer; ${MAX_YIELD_MS} when absent. The question stands longer.`,
  ),
});
type RequestInputArguments = z.infer<typeof RequestInputArguments>;

export const requestInputTool = defineTool({
  name: "terminal_request_input",
  title: "Ask a person",
  description:
    'Asks a person for a decision or a text, which is told to you (kind "answer"), or to type into a program what you must not know, such as a password (kind "type", only while the program reads it; what was typed is never told to you). Waits for timeout_ms; the question stands longer, and `pending` means: call again with request_id.',
  input: RequestInputArguments,
  output: z.object({
    outcome: Outcome.describe(
      "`answered`; `declined` when somebody does not want to; `pending` when it is still open: ask again with request_id; `lapsed` after expires_in_ms; `withdrawn`; `exited` when the program ended before.",
    ),
    request_id: z.string().describe("The question, to ask for its answer later."),
    kind: InputRequestKind,
    nobody_reads: z
      .literal(true)
      .optional()
      .describe(
        "Present while it is pending, of kind `type`, and no program reads: people cannot answer before one does. Make the program ask, or withdraw.",
      ),
    answer: z.string().optional().describe("What was answered, for kind `answer`."),
    terminal_id: endingFields.terminal_id,
    still_running: endingFields.still_running,
    answered_by: z.string().optional().describe("Who answered or declined."),
    note: z.string().optional().describe("What that person said to you."),
    cursor: z.string().describe("Where to go on with terminal_read or terminal_wait."),
  }),
  hints: CHANGE_HINTS,
  run: async (input, call) => {
    const id = input.terminal_id;
    const { after } = await readEndPosition(call, id);
    const { request, outcome, nobodyReads, text, by, note } = await ask(input, call);
    const told = toToolOutcome(outcome);
    return {
      outcome: told,
      request_id: request.requestId,
      kind: request.kind,
      nobody_reads: nobodyReads,
      answer: text && readText(text),
      terminal_id: id,
      still_running: told !== "exited",
      answered_by: by,
      note: note && readText(note),
      cursor: String(after),
    };
  },
});

async function ask(input: RequestInputArguments, call: ToolCall): Promise<RequestInputResult> {
  const { terminal_id: id, request_id: requestId, withdraw } = input;
  const timeout = input.timeout_ms ?? MAX_YIELD_MS;
  if (requestId === undefined) return await call.ask("requestInput", buildQuestion(input, timeout));
  if (withdraw === true) return await call.ask("withdrawInput", { id, requestId });
  return await call.ask("readInputRequest", { id, requestId, timeoutMs: timeout });
}

function buildQuestion(
  input: RequestInputArguments,
  timeout: number,
): OperationInput<"requestInput"> {
  const { terminal_id: id, prompt, kind, choices, secret, expires_in_ms: expiresInMs } = input;
  if (prompt === undefined) {
    throw invalidArgument("prompt", "say what is asked, or give a request_id");
  }
  return {
    id,
    prompt,
    wait: true,
    timeoutMs: timeout,
    kind,
    choices: choices?.map(toChoice),
    secret,
    expiresInMs,
  };
}

const toChoice = (choice: string | InputChoice): InputChoice =>
  typeof choice === "string" ? { value: choice } : choice;

function toToolOutcome(outcome: RequestInputResult["outcome"]): z.infer<typeof Outcome> {
  switch (outcome) {
    case "answered":
    case "declined":
    case "pending":
    case "withdrawn":
      return outcome;
    case "closed":
      return "exited";
    case "expired":
      return "lapsed";
  }
}
