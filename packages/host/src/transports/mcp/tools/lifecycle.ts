import {
  Columns,
  DEFAULT_LIST_LENGTH,
  LostReason,
  Rows,
  SignalName,
  SignalTarget,
  type TerminalSummary,
} from "@nacre/contracts";
import { z } from "zod";
import { holderOf } from "../claim-notices.ts";
import {
  command,
  cwd,
  env,
  makeLabel,
  terminalId,
  truncated,
  truncatedIf,
  untrusted,
  UNTRUSTED,
} from "../tool-fields.ts";
import { formatBlocked } from "../read-excerpt.ts";
import { readText } from "../../../base/text/output-text.ts";
import { CHANGE_HINTS, defineTool, READ_ONLY_HINTS, RUN_HINTS } from "../tool.ts";

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
    const { state } = await call.ask("signalTerminal", { id, signal, target });
    return { terminal_id: id, signal, state };
  },
});

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
    await call.ask("disposeTerminal", { id, force });
    return { terminal_id: input.terminal_id, closed: true as const };
  },
});

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
      state: input.all === true ? undefined : "active",
      limit: input.limit,
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
    title: readText(title),
    state: state ?? "active",
    name: name && readText(name),
    cwd: cwd && readText(cwd),
    running_command: runningCommand && readText(runningCommand.commandLine),
    input_needed: inputNeeded?.kind,
    recording_blocked: formatBlocked(terminal.recordingBlocked),
    exit_code: exitCode,
    lost_reason: lostReason,
    held_by: claim && holderOf(claim.claim),
    viewers,
  };
}

/** As wide as most output is written for. */
const DEFAULT_SIZE = { cols: 120, rows: 40 };

export const createTool = defineTool({
  name: "terminal_create",
  title: "Create a terminal",
  description:
    "Creates a terminal that stays until it is closed: with a shell for terminal_run, or with a program (a REPL, an editor) for terminal_write, terminal_keys and terminal_screen. People can watch it and type into it.",
  input: z.strictObject({
    command: command.optional().describe("A program to run in it instead of a shell."),
    shell: z
      .string()
      .min(1)
      .optional()
      .describe("Which shell: `bash`, `zsh`, `fish`, `sh` or a path. Default: the user's."),
    cwd,
    env,
    name: z.string().min(1).max(256).optional().describe("A label for people."),
    cols: Columns.optional().describe(`Default ${DEFAULT_SIZE.cols}.`),
    rows: Rows.optional().describe(`Default ${DEFAULT_SIZE.rows}.`),
  }),
  output: z.object({
    terminal_id: z.string().describe("The terminal, for the other tools."),
    state: z.string().describe("`active` while its program runs."),
    cwd: z.string().describe("Where its program started."),
    title: z.string().describe("What people see it by."),
  }),
  hints: RUN_HINTS,
  run: async (input, call) => {
    const name = input.name ?? (input.command === undefined ? undefined : makeLabel(input.command));
    const terminal = await call.ask("createTerminal", {
      size: { cols: input.cols ?? DEFAULT_SIZE.cols, rows: input.rows ?? DEFAULT_SIZE.rows },
      commandLine: input.command,
      shellIntegration: input.command === undefined ? undefined : "off",
      shell: input.shell,
      workingDirectory: input.cwd,
      env: input.env,
      name,
    });
    const { id, state, workingDirectory, title = name ?? "shell" } = terminal;
    return { terminal_id: id, state, cwd: workingDirectory, title: readText(title) };
  },
});
