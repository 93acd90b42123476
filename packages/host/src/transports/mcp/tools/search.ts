import { DEFAULT_SEARCH_HITS, SearchMode, type SearchHit } from "@nacre/contracts";
import { z } from "zod";
import { terminalId, truncated, truncatedIf, untrusted, UNTRUSTED } from "../fields.ts";
import { readableText } from "../readable-text.ts";
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

/** Finds text in recordings. */
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
    const found = await call.ask("searchRecordings", {
      ...query,
      ...(id === undefined ? {} : { terminalIds: [id] }),
    });
    const { hits, nextAfter } = found;
    return {
      hits: hits.map(formatHit),
      ...(found.behind === undefined ? {} : { behind: found.behind }),
      ...truncatedIf(found.truncated),
      ...(nextAfter === undefined ? {} : { next_after: nextAfter }),
      ...UNTRUSTED,
    };
  },
});

function formatHit(hit: SearchHit): z.infer<typeof SearchHitResult> {
  const { terminalId: id, line, linesBefore, linesAfter, occurredAt, sequence, command } = hit;
  return {
    terminal_id: id,
    line: readableText(line),
    ...(linesBefore === undefined ? {} : { before: linesBefore.map((line) => readableText(line)) }),
    ...(linesAfter === undefined ? {} : { after: linesAfter.map((line) => readableText(line)) }),
    at: occurredAt,
    cursor: String(sequence),
    ...(command === undefined
      ? {}
      : { command: readableText(command.commandLine), command_id: command.commandId }),
    ...(command?.exitCode === undefined ? {} : { exit_code: command.exitCode }),
  };
}
