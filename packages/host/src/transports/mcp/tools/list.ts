import { DEFAULT_LIST_LENGTH, LostReason, type TerminalSummary } from "@nacre/contracts";
import { z } from "zod";
import { holderOf } from "../driver.ts";
import { truncated, truncatedIf, untrusted, UNTRUSTED } from "../fields.ts";
import { formatBlocked } from "../read-shown.ts";
import { readableText } from "../readable-text.ts";
import { defineTool, READ_ONLY_HINTS } from "../tool.ts";

const ListedTerminal = z.object({
  terminal_id: z.string(),
  title: z.string(),
  name: z.string().optional(),
  state: z.string(),
  cwd: z.string().optional(),
  running_command: z.string().optional(),
  input_needed: z.string().optional(),
  recording_blocked: z
    .string()
    .optional()
    .describe("Why nothing new of it can be seen, and what a person has to do."),
  exit_code: z.int().nullable().optional(),
  lost_reason: LostReason.optional(),
  held_by: z.string().optional().describe("Who drives it now."),
  viewers: z.int().optional(),
});

/** Lists terminals. */
export const listTool = defineTool({
  name: "terminal_list",
  title: "List terminals",
  description:
    "Lists the terminals there are, with what runs in them, what they wait for and who drives them.",
  input: z.strictObject({
    all: z.boolean().optional().describe("Also those whose program ended."),
    limit: z.int().min(1).max(1000).optional().describe(`Default ${DEFAULT_LIST_LENGTH}.`),
  }),
  output: z.object({
    terminals: z.array(ListedTerminal),
    truncated,
    untrusted,
  }),
  hints: READ_ONLY_HINTS,
  run: async (input, call) => {
    const found = await call.ask("listTerminals", {
      ...(input.all === true ? {} : { state: "active" as const }),
      ...(input.limit === undefined ? {} : { limit: input.limit }),
    });
    const terminals = found.terminals.map(formatTerminal);
    return { terminals, ...truncatedIf(found.truncated), ...UNTRUSTED };
  },
});

function formatTerminal(terminal: TerminalSummary): z.infer<typeof ListedTerminal> {
  const { id, title, name, state, cwd, runningCommand, inputNeeded, exitCode, claim, viewers } =
    terminal;
  const { lostReason } = terminal;
  return {
    terminal_id: id,
    title: readableText(title),
    state: state ?? "active",
    ...(name === undefined ? {} : { name: readableText(name) }),
    ...(cwd === undefined ? {} : { cwd: readableText(cwd) }),
    ...(runningCommand === undefined
      ? {}
      : { running_command: readableText(runningCommand.commandLine) }),
    ...(inputNeeded === undefined ? {} : { input_needed: inputNeeded.kind }),
    ...formatBlocked(terminal.recordingBlocked),
    ...(exitCode === undefined ? {} : { exit_code: exitCode }),
    ...(lostReason === undefined ? {} : { lost_reason: lostReason }),
    ...(claim === undefined ? {} : { held_by: holderOf(claim.claim) }),
    ...(viewers === undefined ? {} : { viewers }),
  };
}
