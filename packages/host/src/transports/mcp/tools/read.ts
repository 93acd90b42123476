import {
  CommandId,
  DEFAULT_EXCERPT_BYTES,
  DEFAULT_WAIT_MS,
  invalidArgument,
  type TerminalId,
  type WaitCondition,
} from "@nacre/contracts";
import { z } from "zod";
import {
  cursor,
  durationMs,
  endingFields,
  MAX_YIELD_MS,
  maxOutputBytes,
  outputFields,
  parseOutputCursor,
  terminalId,
  timeoutMs,
} from "../tool-fields.ts";
import {
  describeState,
  readEndPosition,
  readExcerpt,
  readPage,
  type ShownExcerpt,
} from "../read-excerpt.ts";
import { readText } from "../../../base/text/output-text.ts";
import { defineTool, READ_ONLY_HINTS, type ToolCall } from "../tool.ts";

const DEFAULT_QUIET_MS = 500;

const WaitInput = z.strictObject({
  terminal_id: terminalId,
  until: z
    .enum([
      "exit",
      "text",
      "regex",
      "quiet",
      "screen_stable",
      "prompt",
      "command_end",
      "input_needed",
    ])
    .describe(
      "What to wait for: the `exit` of the program, a `text` or `regex` in the output, `quiet` output, a `screen_stable` picture, the shell's `prompt`, a `command_end`, or `input_needed`. The exit always ends the wait.",
    ),
  text: z.string().min(1).optional().describe("For `text`."),
  pattern: z
    .string()
    .min(1)
    .optional()
    .describe("For `regex`: a regular expression of JavaScript, for one line."),
  quiet_ms: z
    .int()
    .min(1)
    .max(60_000)
    .optional()
    .describe(`For \`quiet\` and \`screen_stable\`: for how long. Default ${DEFAULT_QUIET_MS}.`),
  command_id: CommandId.optional().describe("For `command_end`: which command. Default: the next."),
  cursor: cursor
    .optional()
    .describe(
      "`cursor` of an earlier answer: only what comes behind it counts. Without it `text` and `regex` look at everything.",
    ),
  timeout_ms: timeoutMs(`Wait at most so long. Default ${DEFAULT_WAIT_MS}.`),
  max_output_bytes: maxOutputBytes,
});
type WaitInput = z.infer<typeof WaitInput>;

export const waitTool = defineTool({
  name: "terminal_wait",
  title: "Wait for a terminal",
  description:
    "Waits until something happens in a terminal, and answers with what was written meanwhile. Use this instead of sleeping or reading again and again. The end of the wait does not end the program.",
  input: WaitInput,
  output: z.object({
    outcome: z
      .string()
      .describe(
        "What ended the wait: what was waited for, `exit`, `timeout`, or `recording_blocked` when nothing can be seen now.",
      ),
    match: z.string().optional().describe("The text that was found."),
    command_id: z.string().optional().describe("The command that ended."),
    command_exit_code: z.int().nullable().optional().describe("Exit code of that command."),
    ...endingFields,
    ...outputFields,
    duration_ms: durationMs,
  }),
  hints: READ_ONLY_HINTS,
  run: async (input, call) => {
    const since = performance.now();
    const id = input.terminal_id;
    const condition = buildCondition(input);
    const start = input.cursor === undefined ? undefined : parseOutputCursor(input.cursor);
    const from = start ?? (await readEndPosition(call, id));
    const looksBack = input.until === "text" || input.until === "regex";
    // Without a place to count from, an end would be missed that comes while one daemon follows another.
    const isNextEnd = input.until === "command_end" && input.command_id === undefined;
    const after = start?.after ?? (looksBack ? 0 : isNextEnd ? from.after : undefined);
    const { outcome, match, command } = await call.ask("waitFor", {
      id,
      until: [condition],
      timeoutMs: input.timeout_ms ?? DEFAULT_WAIT_MS,
      after,
    });
    const shown = await readExcerpt(call, { id, from, maxBytes: input.max_output_bytes });
    return {
      outcome: outcome === condition.kind ? input.until : (OUTCOMES[outcome] ?? outcome),
      match: match && readText(match),
      command_id: command?.commandId,
      command_exit_code: command && (command.exitCode ?? null),
      ...(await describeState(call, { id, shown, since })),
    };
  },
});

const OUTCOMES: Readonly<Record<string, string>> = { recordingBlocked: "recording_blocked" };

function buildCondition(input: WaitInput): WaitCondition {
  const quietMs = input.quiet_ms ?? DEFAULT_QUIET_MS;
  switch (input.until) {
    case "text":
      return { kind: "text", text: required("text", input.text) };
    case "regex":
      return { kind: "regex", pattern: required("pattern", input.pattern) };
    case "quiet":
      return { kind: "idle", quietMs };
    case "screen_stable":
      return { kind: "screenStable", quietMs };
    case "command_end":
      return { kind: "commandEnd", commandId: input.command_id };
    case "input_needed":
      return { kind: "inputNeeded" };
    case "exit":
    case "prompt":
      return { kind: input.until };
  }
}

function required(field: string, value: string | undefined): string {
  if (value !== undefined) return value;
  throw invalidArgument(field, "is needed for this wait");
}

const ReadInput = z.strictObject({
  terminal_id: terminalId,
  cursor: cursor
    .optional()
    .describe("`cursor` of an earlier answer, to read on from there. `0` is the beginning."),
  yield_time_ms: z
    .int()
    .min(0)
    .max(MAX_YIELD_MS)
    .optional()
    .describe("Wait so many milliseconds for something behind the cursor. Default 0."),
  max_output_bytes: maxOutputBytes,
});

export const readTool = defineTool({
  name: "terminal_read",
  title: "Read the output of a terminal",
  description:
    "Reads what was written in a terminal, also after its program ended. With a cursor: page by page from there, and `truncated` while more is there. Without: the beginning and the end of everything.",
  input: ReadInput,
  output: z.object({ ...endingFields, ...outputFields, duration_ms: durationMs }),
  hints: READ_ONLY_HINTS,
  run: async (input, call) => {
    const since = performance.now();
    const id = input.terminal_id;
    const shown = await read(call, id, input);
    return await describeState(call, { id, shown, since });
  },
});

async function read(
  call: ToolCall,
  id: TerminalId,
  input: z.infer<typeof ReadInput>,
): Promise<ShownExcerpt> {
  const maxBytes = input.max_output_bytes ?? DEFAULT_EXCERPT_BYTES;
  if (input.cursor === undefined) return await readExcerpt(call, { id, maxBytes });
  const waitMs = input.yield_time_ms ?? 0;
  return await readPage(call, { id, from: parseOutputCursor(input.cursor), maxBytes, waitMs });
}
