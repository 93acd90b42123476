import {
  AfterSequence,
  type Command,
  CommandId,
  DEFAULT_SEARCH_HITS,
  type SearchHit,
  SearchMode,
} from "@nacre/contracts";
import { z } from "zod";
import {
  maxOutputBytes,
  outputFields,
  terminalId,
  truncated,
  truncatedIf,
  untrusted,
  UNTRUSTED,
} from "../tool-fields.ts";
import { formatExcerpt } from "../read-excerpt.ts";
import { readText } from "../../../base/text/output-text.ts";
import { defineTool, READ_ONLY_HINTS } from "../tool.ts";

const SearchHitResult = z.object({
  terminal_id: z.string(),
  line: z.string(),
  before: z.array(z.string()).optional(),
  after: z.array(z.string()).optional(),
  at: z.string().describe("When it was written."),
  cursor: z.string().describe("terminal_read from here shows what comes behind it."),
  command: z.string().optional(),
  command_id: z.string().optional(),
  exit_code: z.int().optional(),
});

export const searchTool = defineTool({
  name: "terminal_search",
  title: "Search in all recordings",
  description:
    "Finds text in everything that was ever written in terminals, ended ones included, newest first.",
  input: z.strictObject({
    text: z.string().min(1).describe("What to look for."),
    mode: SearchMode.optional(),
    terminal_id: terminalId.optional().describe("Only in this terminal."),
    command: z.string().min(1).optional().describe("Only in commands whose line contains this."),
    cwd: z.string().optional().describe("Only in commands run in this directory or below."),
    exit: z
      .enum(["success", "failure", "unknown"])
      .optional()
      .describe("Only in commands that ended so."),
    context: z.int().min(0).max(20).optional().describe("Lines to show around each hit."),
    limit: z.int().min(1).max(200).optional().describe(`Default ${DEFAULT_SEARCH_HITS}.`),
    after: z.string().optional().describe("`next_after` of the answer before."),
  }),
  output: z.object({
    hits: z.array(SearchHitResult),
    behind: z
      .literal(true)
      .optional()
      .describe("Present when the newest output may not be found yet: search again in a moment."),
    truncated,
    next_after: z.string().optional(),
    untrusted,
  }),
  hints: READ_ONLY_HINTS,
  run: async ({ terminal_id: id, ...query }, call) => {
    const found = await call.ask("searchRecordings", { ...query, terminalIds: id && [id] });
    const { hits, nextAfter } = found;
    return {
      hits: hits.map(formatHit),
      behind: found.behind,
      ...truncatedIf(found.truncated),
      next_after: nextAfter,
      ...UNTRUSTED,
    };
  },
});

function formatHit(hit: SearchHit): z.infer<typeof SearchHitResult> {
  const { terminalId: id, line, linesBefore, linesAfter, occurredAt, sequence, command } = hit;
  return {
    terminal_id: id,
    line: readText(line),
    before: linesBefore?.map((line) => readText(line)),
    after: linesAfter?.map((line) => readText(line)),
    at: occurredAt,
    cursor: String(sequence),
    command: command && readText(command.commandLine),
    command_id: command?.commandId,
    exit_code: command?.exitCode,
  };
}

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
      const asked = { id, commandId, maxOutputBytes: input.max_output_bytes };
      const { command, output } = await call.ask("readCommand", asked);
      return { terminal_id: id, commands: [formatCommand(command)], ...formatExcerpt(output) };
    }
    const found = await call.ask("listCommands", { id, after, limit });
    return {
      terminal_id: id,
      commands: found.commands.map(formatCommand),
      ...truncatedIf(found.truncated),
      next_after: found.nextAfter,
      ...UNTRUSTED,
    };
  },
});

function formatCommand(command: Command): z.infer<typeof ListedCommand> {
  const { commandId, commandLine, cwd, exitCode, signal, startedAt, durationMs, quality } = command;
  return {
    command_id: commandId,
    command: readText(commandLine),
    cwd: cwd && readText(cwd),
    exit_code: exitCode ?? null,
    signal,
    still_running: command.lastSequence === undefined,
    started_at: startedAt,
    duration_ms: durationMs,
    quality,
  };
}
