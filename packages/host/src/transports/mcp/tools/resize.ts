import { Columns, Rows } from "@nacre/contracts";
import { z } from "zod";
import { terminalId } from "../fields.ts";
import { CHANGE_HINTS, defineTool } from "../tool.ts";

/** Gives a terminal another size. */
export const resizeTool = defineTool({
  name: "terminal_resize",
  title: "Resize a terminal",
  description:
    "Gives a terminal another size, as when somebody drags its window: for output that wraps or is cut off, and for programs that take the whole screen. Answers with the size it has, which is another one where somebody else drives it.",
  input: z.strictObject({
    terminal_id: terminalId,
    cols: Columns.describe("Columns."),
    rows: Rows.describe("Rows."),
  }),
  output: z.object({ terminal_id: z.string(), cols: z.int(), rows: z.int() }),
  hints: { ...CHANGE_HINTS, idempotentHint: true },
  run: async (input, call) => {
    const { terminal_id: id, cols, rows } = input;
    return { terminal_id: id, ...(await call.ask("resizeTerminal", { id, cols, rows })) };
  },
});
