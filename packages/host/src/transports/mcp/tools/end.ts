import { SignalName, SignalTarget } from "@nacre/contracts";
import { z } from "zod";
import { terminalId } from "../fields.ts";
import { CHANGE_HINTS, defineTool, RUN_HINTS } from "../tool.ts";

/** Sends a signal to what runs in a terminal. */
export const signalTool = defineTool({
  name: "terminal_signal",
  title: "Send a signal",
  description:
    "Sends a signal to what runs in the foreground of a terminal: SIGINT interrupts it as Ctrl-C does, SIGTERM asks it to end.",
  input: z.strictObject({
    terminal_id: terminalId,
    signal: SignalName.optional().describe("Default SIGINT."),
    target: SignalTarget.optional(),
  }),
  output: z.object({ terminal_id: z.string(), signal: z.string(), state: z.string() }),
  hints: { ...CHANGE_HINTS, destructiveHint: true },
  run: async (input, call) => {
    const { terminal_id: id, signal = "SIGINT", target } = input;
    const { state } = await call.ask("signalTerminal", {
      id,
      signal,
      ...(target === undefined ? {} : { target }),
    });
    return { terminal_id: id, signal, state };
  },
});

/** Ends a terminal. */
export const closeTool = defineTool({
  name: "terminal_close",
  title: "Close a terminal",
  description:
    "Ends everything that runs in a terminal and takes it off the list. Its recording stays: terminal_read and terminal_search still find it.",
  input: z.strictObject({
    terminal_id: terminalId,
    force: z.boolean().optional().describe("Kill at once, without a second to clean up."),
  }),
  output: z.object({ terminal_id: z.string(), closed: z.literal(true) }),
  hints: { ...RUN_HINTS, openWorldHint: false, idempotentHint: true },
  run: async (input, call) => {
    const { terminal_id: id, force } = input;
    await call.ask("disposeTerminal", { id, ...(force === undefined ? {} : { force }) });
    return { terminal_id: input.terminal_id, closed: true as const };
  },
});
