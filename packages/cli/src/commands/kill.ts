import { safeText } from "@nacre/client/ui";
import type { KillReport } from "@nacre/contracts";
import type { Command } from "../command.ts";
import { TERMINAL } from "../terminal-words.ts";
import { signalName } from "./signal.ts";

export const killCommand: Command = {
  name: "kill",
  section: "terminals",
  summary: "End what runs in a terminal, and prove that it has ended",
  description: "The recording stays; `nacre rm` removes it.",
  arguments: [{ ...TERMINAL, isMany: true }],
  options: [
    { name: "force", short: "f", description: "At once, without time to end by itself" },
    { name: "grace", value: "TIME", description: "Time to end by itself; 1s when absent" },
    { name: "signal", short: "s", value: "NAME", description: "Send this to all of it first" },
  ],
  examples: [
    { line: "nacre kill web", about: "end it" },
    { line: "nacre new -n gone && nacre kill gone --force", about: "at once" },
  ],
  exitCodes: [["1", "something outlived it, or still holds the terminal"]],

  async run(context) {
    const { args, call, options, isQuiet } = context;
    const words: readonly (string | undefined)[] = args.length > 0 ? args : [undefined];
    const terminals = await Promise.all(words.map((word) => context.terminal(word)));
    const graceMs = options.has("force") ? 0 : options.durationMs("grace");
    const signal = options.text("signal");
    const reports = [];
    for (const { id } of terminals) {
      if (signal !== undefined) {
        await call("signalTerminal", { id, signal: signalName(signal), target: "tree" });
      }
      const report = await call("killTerminal", {
        id,
        ...(graceMs === undefined ? {} : { graceMs }),
      });
      reports.push({ id, ...report });
    }
    const exitCode = reports.some(({ survivors }) => survivors.length > 0) ? 1 : 0;
    const text = isQuiet ? "" : reports.map(({ id, ...report }) => lineOf(id, report)).join("\n");
    return { result: { killed: reports }, text, exitCode };
  },
};

function lineOf(id: string, { ended, forced, survivors }: KillReport): string {
  const how = forced ? ", by force" : "";
  const left = survivors.map(({ pid, name }) => `${name} (${pid})`).join(", ");
  return safeText(`${id}: ${ended} ended${how}${left === "" ? "" : `; still there: ${left}`}`);
}
