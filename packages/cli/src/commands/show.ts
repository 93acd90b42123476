import { describeCommand, formatDuration, safeText } from "@nacre/client/ui";
import type { Command as RunCommand } from "@nacre/contracts";
import { NacreError } from "@nacre/contracts/error";
import type { Command } from "../command.ts";
import { commandsOf } from "../commands-of.ts";
import { plainOutput } from "../plain-output.ts";
import { type Style } from "../print.ts";
import { TERMINAL } from "../terminal-words.ts";

/** The host sends at most a megabyte at once. */
const MAX_BYTES = 1024 * 1024;

export const showCommand: Command = {
  name: "show",
  section: "recordings",
  summary: "Show a command with what it wrote",
  arguments: [
    TERMINAL,
    {
      name: "command",
      description:
        "-1 for the last (when left out), -2 for the one before, or an id of `nacre history`",
      isOptional: true,
    },
  ],
  options: [
    {
      name: "bytes",
      value: "N",
      description: "Leave out the middle of what is longer; 1M when absent",
    },
  ],
  examples: [
    { line: "nacre show build", about: "the last command" },
    { line: "nacre show build -2", about: "the one before" },
    { line: "nacre show build -1 -q", about: "only what it wrote" },
  ],

  async run(context) {
    const { args, call, options, isQuiet, style } = context;
    const isAlone = args.length === 1 && isIndex(args[0]);
    const isTurned = args.length === 2 && isIndex(args[0]) && !isIndex(args[1]);
    const [terminal, which = "-1"] = isAlone || isTurned ? [args[1], args[0]] : args;
    const { id } = await context.terminal(terminal);
    const commands = await commandsOf(id, call);
    const wanted = isIndex(which)
      ? commands.at(Number(which))
      : commands.find(({ commandId }) => commandId === which);
    if (!wanted) {
      throw new NacreError(
        "recording_not_found",
        `there is no command ${which}; ${commands.length} are known`,
        { field: "command", suggestion: "`nacre history` lists them." },
      );
    }
    const { command, output } = await call("readCommand", {
      id,
      commandId: wanted.commandId,
      maxOutputBytes: options.integer("bytes") ?? MAX_BYTES,
    });
    const written = plainOutput(output.text).replace(/\n$/, "");
    const text = isQuiet ? written : `${headOf(command, style)}\n${written}`.trimEnd();
    return { result: { id, command, output }, text };
  },
};

const isIndex = (word: string | undefined): boolean => /^-\d+$/.test(word ?? "");

function headOf(command: RunCommand, style: Style): string {
  const { commandLine, cwd, durationMs, startedAt } = command;
  const { words, tone } = describeCommand(command);
  const facts = [
    style.tone(tone, words),
    ...(durationMs === undefined ? [] : [`took ${formatDuration(durationMs)}`]),
    `at ${startedAt}`,
    ...(cwd === undefined ? [] : [`in ${safeText(cwd)}`]),
  ];
  return `${style.bold(`$ ${safeText(commandLine)}`)}\n${style.dim(`# ${facts.join(", ")}`)}`;
}
