import { safeText } from "@nacre/client/ui";
import { NacreError } from "@nacre/contracts/error";
import type { Command, Outcome } from "../command.ts";
import type { Context } from "../context.ts";
import type { NamedTerminal } from "../find-terminal.ts";
import { parseWholeOwner } from "../option-values.ts";
import { TERMINAL } from "../terminal-words.ts";

export const rmCommand: Command = {
  name: "rm",
  section: "terminals",
  summary: "Remove a terminal and its recording",
  description:
    "With --owner or --session all terminals of somebody who is gone are ended and taken off the list, and recordings stay. With --force also one that still runs: its programs are sent SIGTERM or SIGHUP first, and killed when they have not ended after a second, all of them at the same time.",
  arguments: [{ ...TERMINAL, description: "Id, beginning of an id, or name", isMany: true }],
  options: [
    { name: "force", short: "f", description: "One that still runs, too; it is ended first" },
    { name: "now", description: "Kill what runs at once, without a second to clean up" },
    {
      name: "owner",
      value: "KIND:ID",
      description: "All of an owner that is gone, such as Task:42, but those to be kept",
    },
    {
      name: "session",
      value: "SESSION",
      description: "All that an agent's session that is gone still drives",
    },
    { name: "purge", description: "Leave nothing of it readable in the files; takes longer" },
    { name: "keep-recording", description: "Only end it and take it off the list" },
  ],
  examples: [
    { line: "nacre new -n old -- true && nacre rm -f old", about: "one that may still run" },
    {
      line: "nacre new -n stuck -- cat && nacre rm -f --now stuck",
      about: "without waiting for it",
    },
    { line: "nacre new -n older -- true && nacre rm -f --purge older", about: "without a trace" },
  ],

  async run(context) {
    const { args, call, options, isQuiet } = context;
    if (options.has("owner") || options.has("session")) return await removeAll(context);
    if (args.length === 0) {
      throw new NacreError("invalid_argument", "rm: <terminal> is missing", { field: "terminal" });
    }
    const terminals = await Promise.all(args.map((word) => context.terminal(word)));
    if (!options.has("force")) for (const one of terminals) await requireEnded(one, context);
    const how = options.has("now") ? { force: true } : {};
    const removed = await Promise.all(
      terminals.map(({ id }) =>
        options.has("keep-recording")
          ? call("disposeTerminal", { id, ...how })
          : call("deleteRecording", { id, ...how, ...purgeOf(context) }),
      ),
    );
    const text = isQuiet ? "" : removed.map(({ id }) => safeText(id)).join("\n");
    return { result: { removed }, text };
  },
};

/** Of an owner or session that is gone; their recordings stay. */
async function removeAll({ args, call, options, isQuiet }: Context): Promise<Outcome> {
  const [owner, session] = [options.text("owner"), options.text("session")];
  if (args.length > 0 || (owner !== undefined && session !== undefined)) {
    const message = "rm: name terminals, an owner or a session, only one of these";
    throw new NacreError("invalid_argument", message, { field: "owner" });
  }
  const result = await call("disposeTerminals", {
    ...(owner === undefined ? { session } : { owner: parseWholeOwner(owner) }),
    ...(options.has("now") ? { force: true } : {}),
  });
  const { disposed, kept } = result;
  if (kept.length > 0 && !isQuiet) console.error(`nacre: kept: ${safeText(kept.join(", "))}`);
  return { result, text: isQuiet ? "" : disposed.map((id) => safeText(id)).join("\n") };
}

const purgeOf = ({ options }: Context) => (options.has("purge") ? { purge: true } : {});

async function requireEnded({ id }: NamedTerminal, { call }: Context): Promise<void> {
  const { state } = await call("readTerminal", { id });
  if (state !== "active" && state !== "creating" && state !== "killing") return;
  throw new NacreError("conflict", `${id} still runs`, {
    suggestion: "End it with `nacre kill`, or remove it with --force.",
  });
}
