import { NacreError } from "@nacre/contracts/error";
import type { Command } from "../command.ts";
import type { Context } from "../context.ts";
import type { NamedTerminal } from "../find-terminal.ts";
import { safeText } from "../print.ts";
import { TERMINAL } from "../terminal-words.ts";

/** Removes terminals with their recordings. */
export const rmCommand: Command = {
  name: "rm",
  section: "terminals",
  summary: "Remove a terminal and its recording",
  arguments: [{ ...TERMINAL, description: "Id, beginning of an id, or name", isMany: true }],
  options: [
    { name: "force", short: "f", description: "One that still runs, too; it is ended first" },
    { name: "purge", description: "Leave nothing of it readable in the files; takes longer" },
    { name: "keep-recording", description: "Only end it and take it off the list" },
  ],
  examples: [
    { line: "nacre new -n old -- true && nacre rm -f old", about: "one that may still run" },
    { line: "nacre new -n older -- true && nacre rm -f --purge older", about: "without a trace" },
  ],

  async run(context) {
    const { args, call, options, isQuiet } = context;
    if (args.length === 0) {
      throw new NacreError("invalid_argument", "rm: <terminal> is missing", { field: "terminal" });
    }
    const terminals = await Promise.all(args.map((word) => context.terminal(word)));
    if (!options.has("force")) for (const one of terminals) await requireEnded(one, context);
    const removed = [];
    for (const { id } of terminals) {
      if (options.has("keep-recording")) removed.push(await call("disposeTerminal", { id }));
      else removed.push(await call("deleteRecording", { id, ...purgeOf(context) }));
    }
    const text = isQuiet ? "" : removed.map(({ id }) => safeText(id)).join("\n");
    return { result: { removed }, text };
  },
};

const purgeOf = ({ options }: Context) => (options.has("purge") ? { purge: true } : {});

async function requireEnded({ id }: NamedTerminal, { call }: Context): Promise<void> {
  const { state } = await call("readTerminal", { id });
  if (state !== "active" && state !== "creating" && state !== "killing") return;
  throw new NacreError("conflict", `${id} still runs`, {
    suggestion: "End it with `nacre kill`, or remove it with --force.",
  });
}
