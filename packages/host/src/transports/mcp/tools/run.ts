import { type InputNeededKind, NacreError } from "@nacre/contracts";
import { z } from "zod";
import {
  command,
  CommandResult,
  DEFAULT_YIELD_MS,
  maxOutputBytes,
  terminalId,
  timeoutMs,
  yieldTimeMs,
} from "../fields.ts";
import { BLOCKED_SUGGESTION, suggestNext } from "../next-step.ts";
import { formatBlocked, formatExcerpt, readEndPosition, readBefore } from "../read-shown.ts";
import { defineTool, RUN_HINTS } from "../tool.ts";

/** Runs a command line in a shell that is there already. */
export const runTool = defineTool({
  name: "terminal_run",
  title: "Run a command in a shell",
  description:
    "Runs a command line in the shell of a terminal of terminal_create, which keeps its directory and variables, and answers with exactly what this command wrote and its exit code. When it takes longer than yield_time_ms, or asks for input, the answer says still_running and it goes on. One at a time for each terminal.",
  input: z.strictObject({
    terminal_id: terminalId,
    command,
    timeout_ms: timeoutMs(
      "End the command after so many milliseconds; the shell goes on. Default: never.",
    ),
    yield_time_ms: yieldTimeMs(),
    max_output_bytes: maxOutputBytes,
  }),
  output: CommandResult,
  hints: RUN_HINTS,
  run: async (input, call) => {
    const id = input.terminal_id;
    const since = performance.now();
    const asked = call.ask("runCommand", {
      id,
      commandLine: input.command,
      timeoutMs: input.yield_time_ms ?? DEFAULT_YIELD_MS,
      ...(input.timeout_ms === undefined ? {} : { endAfterMs: input.timeout_ms }),
      ...(input.max_output_bytes === undefined ? {} : { maxOutputBytes: input.max_output_bytes }),
    });
    const result = await asked.catch((error: unknown) => {
      throw adviseAfterLostRun(error, id);
    });
    const { outcome, command: recorded, shellExit, inputNeeded, timedOut, output } = result;
    const signal = recorded?.signal ?? shellExit?.signal;
    const { position, text } = output;
    const before = await readBefore(call, { id, position, text });
    const isRunning = ["timeout", "inputNeeded", "recordingBlocked"].includes(outcome);
    return {
      terminal_id: id,
      still_running: isRunning,
      // With `exit 3` the command and the shell are one.
      exit_code: recorded?.exitCode ?? shellExit?.exitCode ?? null,
      ...(signal === undefined ? {} : { signal }),
      ...(timedOut === undefined ? {} : { timed_out: timedOut }),
      ...(inputNeeded === undefined ? {} : { input_needed: inputNeeded.kind }),
      ...formatBlocked(result.recordingBlocked),
      ...(recorded === undefined ? {} : { command_id: recorded.commandId }),
      duration_ms: recorded?.durationMs ?? Math.round(performance.now() - since),
      ...formatExcerpt(output, { to: await readEndPosition(call, id), before }),
      ...suggestAfter(outcome, inputNeeded?.kind),
    };
  },
});

/** A command whose answer got lost may run: whoever runs it again runs it twice. */
function adviseAfterLostRun(error: unknown, id: string): unknown {
  const isLost = error instanceof NacreError && error.details?.["terminalId"] === id;
  if (!isLost || error.code !== "unavailable") return error;
  return new NacreError(error.code, error.message, {
    cause: error,
    suggestion: `Do not run it again: terminal_history with terminal_id ${id} tells its exit code once it has ended, terminal_wait with until command_end waits for that, terminal_read shows what it wrote.`,
  });
}

function suggestAfter(outcome: string, needed?: InputNeededKind): { readonly next?: string } {
  switch (outcome) {
    case "timeout":
    case "inputNeeded":
      return { next: suggestNext(needed) };
    case "recordingBlocked":
      return { next: BLOCKED_SUGGESTION };
    case "exited":
      return { next: "The shell itself ended; terminal_create starts another." };
    case "refused":
      return {
        next: "The shell ran nothing: it did not understand the line, or waits for more of it. Look at terminal_screen.",
      };
    default:
      return {};
  }
}
