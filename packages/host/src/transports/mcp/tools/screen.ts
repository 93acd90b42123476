import type { TerminalId } from "@nacre/contracts";
import { z } from "zod";
import { terminalId, untrusted } from "../fields.ts";
import { readableText } from "../readable-text.ts";
import { renderVisibleScreen } from "../seen-screen.ts";
import { defineTool, READ_ONLY_HINTS, type ToolCall } from "../tool.ts";

/** What a terminal shows, as tools tell it. */
export const ScreenResult = z.object({
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
export type ScreenResult = z.infer<typeof ScreenResult>;

/** Reads what a terminal shows. */
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

/** What a terminal shows now, as results tell it. */
export async function readScreenResult(call: ToolCall, id: TerminalId): Promise<ScreenResult> {
  const screen = await call.ask("readScreen", { id, format: "cells" });
  const { size, cursor, alternate, title, sequence } = screen;
  return {
    terminal_id: id,
    screen: renderVisibleScreen(screen).trimEnd(),
    ...size,
    cursor_row: cursor.row,
    cursor_column: cursor.column,
    full_screen: alternate,
    title: readableText(title),
    cursor: String(sequence),
    untrusted: true,
  };
}
