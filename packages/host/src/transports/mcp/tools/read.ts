import { DEFAULT_EXCERPT_BYTES, type TerminalId } from "@nacre/contracts";
import { z } from "zod";
import {
  cursor,
  durationMs,
  endingFields,
  MAX_YIELD_MS,
  maxOutputBytes,
  outputFields,
  terminalId,
} from "../fields.ts";
import { parseOutputCursor } from "../position-text.ts";
import {
  formatEnding,
  readInputNeeded,
  formatOutput,
  readPage,
  readExcerpt,
  type ShownExcerpt,
} from "../read-shown.ts";
import { defineTool, READ_ONLY_HINTS, type ToolCall } from "../tool.ts";

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

/** Reads what a terminal wrote. */
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
    const needed = shown.page.ended ? undefined : await readInputNeeded(call, id);
    return {
      terminal_id: id,
      ...formatEnding(shown.page),
      ...(needed === undefined ? {} : { input_needed: needed.kind }),
      ...formatOutput(shown),
      duration_ms: Math.round(performance.now() - since),
    };
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
