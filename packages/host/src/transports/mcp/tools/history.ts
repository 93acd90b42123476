import { AfterSequence, type Command, CommandId } from "@nacre/contracts";
import { z } from "zod";
import {
  maxOutputBytes,
  outputFields,
  terminalId,
  truncatedIf,
  untrusted,
  UNTRUSTED,
} from "../fields.ts";
import { readableText } from "../readable-text.ts";
import { formatExcerpt } from "../read-shown.ts";
import { defineTool, READ_ONLY_HINTS } from "../tool.ts";

const ListedCommand = z.object({
  command_id: z.string(),
  command: z.string(),
  cwd: z.string().optional(),
  exit_code: z.int().nullable(),
  signal: z.string().optional(),
  still_running: z.boolean(),
  started_at: z.string(),
  duration_ms: z.int().optional(),
  quality: z.string().describe("How far to trust its bounds: `exact`, `marker`, `estimated`."),
});

/** Lists the commands of a terminal, or reads one. */
export const historyTool = defineTool({
  name: "terminal_history",
  title: "Commands of a terminal",
  description:
    "Lists the commands that were run in the shell of a terminal, by you or by people, with exit codes; with command_id it reads one of them and what it wrote.",
  input: z.strictObject({
    terminal_id: terminalId,
    command_id: CommandId.optional().describe("Read this command with its output."),
    after: AfterSequence.optional().describe("`next_after` of the answer before."),
    limit: z.int().min(1).max(1000).optional().describe("Default 100."),
    max_output_bytes: maxOutputBytes,
  }),
  output: z.object({
    terminal_id: z.string(),
    commands: z.array(ListedCommand).describe("Oldest first."),
    next_after: z.int().optional().describe("What to send as `after` for the next page."),
    ...outputFields,
    output: outputFields.output.optional(),
    untrusted,
  }),
  hints: READ_ONLY_HINTS,
  run: async (input, call) => {
    const { terminal_id: id, command_id: commandId, after, limit } = input;
    if (commandId !== undefined) {
      const max = input.max_output_bytes;
      const size = max === undefined ? {} : { maxOutputBytes: max };
      const { command, output } = await call.ask("readCommand", { id, commandId, ...size });
      return { terminal_id: id, commands: [formatCommand(command)], ...formatExcerpt(output) };
    }
    const found = await call.ask("listCommands", {
      id,
      ...(after === undefined ? {} : { after }),
      ...(limit === undefined ? {} : { limit }),
    });
    return {
      terminal_id: id,
      commands: found.commands.map(formatCommand),
      ...truncatedIf(found.truncated),
      ...(found.nextAfter === undefined ? {} : { next_after: found.nextAfter }),
      ...UNTRUSTED,
    };
  },
});

function formatCommand(command: Command): z.infer<typeof ListedCommand> {
  const { commandId, commandLine, cwd, exitCode, signal, startedAt, durationMs, quality } = command;
  return {
    command_id: commandId,
    command: readableText(commandLine),
    ...(cwd === undefined ? {} : { cwd: readableText(cwd) }),
    exit_code: exitCode ?? null,
    ...(signal === undefined ? {} : { signal }),
    still_running: command.lastSequence === undefined,
    started_at: startedAt,
    ...(durationMs === undefined ? {} : { duration_ms: durationMs }),
    quality,
  };
}
