import { MAX_KEYS, type OperationInput, type TerminalId } from "@nacre/contracts";
import { z } from "zod";
import {
  durationMs,
  endingFields,
  maxOutputBytes,
  outputFields,
  terminalId,
  untrusted,
  yieldTimeMs,
} from "../tool-fields.ts";
import { describeState, readEndPosition, readExcerpt } from "../read-excerpt.ts";
import { readText } from "../../../base/text/output-text.ts";
import { renderVisibleScreen } from "../visible-screen.ts";
import { defineTool, READ_ONLY_HINTS, RUN_HINTS, type ToolCall } from "../tool.ts";

const ScreenResult = z.object({
  terminal_id: z.string(),
  screen: z.string().describe("The visible rows, as a person reads them."),
  cols: z.int(),
  rows: z.int(),
  cursor_row: z.int().describe("Row of the cursor, 0 at the top."),
  cursor_column: z.int().describe("Column of the cursor, 0 at the left."),
  full_screen: z.boolean().describe("Whether a program such as an editor has the whole screen."),
  title: z.string(),
  cursor: z.string().describe("Where to go on with terminal_read or terminal_wait."),
  untrusted,
});
type ScreenResult = z.infer<typeof ScreenResult>;

export const screenTool = defineTool({
  name: "terminal_screen",
  title: "Look at a terminal",
  description:
    "Shows what a person would see in the terminal now. For programs that draw the screen (editors, menus, progress bars) this says more than terminal_read.",
  input: z.strictObject({ terminal_id: terminalId }),
  output: ScreenResult,
  hints: READ_ONLY_HINTS,
  run: (input, call) => readScreenResult(call, input.terminal_id),
});

async function readScreenResult(call: ToolCall, id: TerminalId): Promise<ScreenResult> {
  const screen = await call.ask("readScreen", { id, format: "cells" });
  const { size, cursor, alternate, title, sequence } = screen;
  return {
    terminal_id: id,
    screen: renderVisibleScreen(screen).trimEnd(),
    ...size,
    cursor_row: cursor.row,
    cursor_column: cursor.column,
    full_screen: alternate,
    title: readText(title),
    cursor: String(sequence),
    untrusted: true,
  };
}

/** Default wait for the program's reaction. */
const ANSWER_MS = 2000;

/** A program silent for this long has finished its reaction. */
const QUIET_MS = 250;

export const writeTool = defineTool({
  name: "terminal_write",
  title: "Type into a terminal",
  description:
    "Types text into the program of a terminal, with Enter behind it when submit is true, and answers with what the program wrote until it was quiet for a moment. Never type a password or token: use terminal_request_input, so that a person does.",
  input: z.strictObject({
    terminal_id: terminalId,
    text: z.string().describe("What to type, exactly as it is."),
    submit: z.boolean().optional().describe("Press Enter behind it."),
    paste: z
      .boolean()
      .optional()
      .describe("Paste it, so that programs take several lines as one text."),
    yield_time_ms: yieldTimeMs(ANSWER_MS),
    max_output_bytes: maxOutputBytes,
  }),
  output: z.object({ ...endingFields, ...outputFields, duration_ms: durationMs }),
  hints: RUN_HINTS,
  run: async (input, call) => {
    const since = performance.now();
    const id = input.terminal_id;
    const from = await readEndPosition(call, id);
    if (input.paste === true) {
      await call.ask("pasteText", { id, text: input.text });
      if (input.submit === true) await call.ask("sendInput", { id, keys: ["Enter"] });
    } else {
      await call.ask("sendInput", {
        id,
        data: `${input.text}${input.submit === true ? "\r" : ""}`,
      });
    }
    await waitUntilQuiet(call, { id, after: from.after, timeoutMs: input.yield_time_ms });
    const shown = await readExcerpt(call, { id, from, maxBytes: input.max_output_bytes });
    return await describeState(call, { id, shown, since });
  },
});

export const keysTool = defineTool({
  name: "terminal_keys",
  title: "Press keys in a terminal",
  description:
    'Presses keys by name, one after the other, and answers with the screen once it is quiet: "Enter", "Escape", "Tab", "Up", "F5", "C-c", "M-x", "Space", or single characters. For programs that take the whole screen, such as editors and menus.',
  input: z.strictObject({
    terminal_id: terminalId,
    keys: z.array(z.string().min(1)).min(1).max(MAX_KEYS).describe("The keys, in their order."),
    yield_time_ms: yieldTimeMs(ANSWER_MS),
  }),
  output: ScreenResult,
  hints: RUN_HINTS,
  run: async (input, call) => {
    const id = input.terminal_id;
    const from = await readEndPosition(call, id);
    await call.ask("sendInput", { id, keys: input.keys });
    await waitUntilQuiet(call, { id, after: from.after, timeoutMs: input.yield_time_ms });
    return await readScreenResult(call, id);
  },
});

/** Waits until a program has answered and is quiet. */
async function waitUntilQuiet(
  call: ToolCall,
  { timeoutMs = ANSWER_MS, ...wait }: Omit<OperationInput<"waitFor">, "until">,
): Promise<void> {
  const until = [{ kind: "idle" as const, quietMs: QUIET_MS }];
  await call.ask("waitFor", { ...wait, until, timeoutMs });
}
