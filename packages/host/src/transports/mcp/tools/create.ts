import { Columns, Rows } from "@nacre/contracts";
import { z } from "zod";
import { command, cwd, env } from "../fields.ts";
import { makeLabel } from "../label-of.ts";
import { readableText } from "../readable-text.ts";
import { defineTool, RUN_HINTS } from "../tool.ts";

/** What a terminal has when nobody says: as wide as most output is written for. */
const DEFAULT_SIZE = { cols: 120, rows: 40 };

/** Creates a terminal with a shell or another program. */
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
      ...(input.command === undefined
        ? {}
        : { commandLine: input.command, shellIntegration: "off" as const }),
      ...(input.shell === undefined ? {} : { shell: input.shell }),
      ...(input.cwd === undefined ? {} : { workingDirectory: input.cwd }),
      ...(input.env === undefined ? {} : { env: input.env }),
      ...(name === undefined ? {} : { name }),
    });
    const { id, state, workingDirectory, title = name ?? "shell" } = terminal;
    return { terminal_id: id, state, cwd: workingDirectory, title: readableText(title) };
  },
});
