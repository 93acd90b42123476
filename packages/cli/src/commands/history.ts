import { describeCommand, formatAge, formatDuration, hasFailed } from "@nacre/client/ui";
import type { Command } from "../command.ts";
import { commandsOf } from "../commands-of.ts";
import { formatTable } from "../print.ts";
import { TERMINAL } from "../terminal-words.ts";

/** Fits on a screen. */
const DEFAULT_COUNT = 20;

export const historyCommand: Command = {
  name: "history",
  section: "recordings",
  summary: "List the commands that ran in a terminal",
  description: "The number in front is what `nacre show` takes.",
  arguments: [TERMINAL],
  options: [
    {
      name: "limit",
      short: "n",
      value: "N",
      description: "At most so many, the last ones; 20 when absent, 0 for all",
    },
    { name: "failed", description: "Only those that failed" },
  ],
  examples: [
    { line: "nacre history build", about: "the last commands" },
    { line: "nacre history build --failed -n 0", about: "all that failed" },
  ],

  async run(context) {
    const { call, options, style, isQuiet } = context;
    const { id } = await context.terminal(context.args[0]);
    const all = (await commandsOf(id, call)).map((command, at, { length }) => ({
      ...command,
      index: at - length,
    }));
    const wanted = options.has("failed") ? all.filter(hasFailed) : all;
    const limit = options.integer("limit") ?? DEFAULT_COUNT;
    const commands = limit === 0 ? wanted : wanted.slice(-limit);
    const now = Date.now();
    const text = isQuiet
      ? commands.map(({ commandId }) => commandId).join("\n")
      : commands.length === 0
        ? style.dim("No commands are known.")
        : formatTable(
            commands,
            [
              { head: "#", text: ({ index }) => String(index) },
              {
                head: "STATE",
                text: (one) => describeCommand(one).words,
                mark: (cell, one, marks) => marks.tone(describeCommand(one).tone, cell),
              },
              {
                head: "TOOK",
                text: ({ durationMs }) =>
                  durationMs === undefined ? "" : formatDuration(durationMs),
              },
              { head: "AGO", text: ({ startedAt }) => formatAge(now - Date.parse(startedAt)) },
              { head: "IN", text: ({ cwd }) => cwd ?? "", maxWidth: 32 },
              { head: "COMMAND", text: ({ commandLine }) => commandLine },
            ],
            style,
          );
    return { result: { id, commands, total: all.length }, text };
  },
};
