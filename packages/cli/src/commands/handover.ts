import { safeText } from "@nacre/client/ui";
import type { Claim, ClientId } from "@nacre/contracts";
import { NacreError } from "@nacre/contracts/error";
import type { Command } from "../command.ts";
import { holderText } from "../describe.ts";
import { TERMINAL } from "../terminal-words.ts";

export const handoverCommand: Command = {
  name: "handover",
  section: "sharing",
  summary: "Hand a terminal to somebody, with a note",
  description:
    "`nacre who` shows names of clients and sessions. What somebody else holds is taken over first, if you may.",
  arguments: [TERMINAL],
  options: [
    { name: "to", value: "WHO", description: "client:NAME, or session:ADDRESS for an agent" },
    { name: "note", value: "TEXT", description: "A few words, such as what is left to do" },
  ],
  examples: [
    {
      line: 'nacre handover build --to session:agent-7 --note "tests fail since noon"',
      about: "to an agent",
    },
    { line: "nacre handover build --to client:alice", about: "to a client" },
  ],

  async run(context) {
    const { call, options, isQuiet } = context;
    const claim = claimOf(options.text("to"));
    const { id } = await context.terminal(context.args[0]);
    const note = options.text("note");
    const move = { id, claim, ...(note === undefined ? {} : { note }) };
    let result;
    try {
      result = await call("moveClaim", move);
    } catch (error) {
      if (!(error instanceof NacreError) || error.code !== "claim_held") throw error;
      // Only the holder can hand it on; the host decides whether this caller may take over.
      const { epoch } = await call("moveClaim", { id });
      result = await call("moveClaim", { ...move, epoch });
    }
    return { result, text: isQuiet ? "" : `Held by ${safeText(holderText(result.claim))}.` };
  },
};

function claimOf(word: string | undefined): Claim {
  const [, kind, name] = /^(client|session):(.+)$/s.exec(word ?? "") ?? [];
  // The host validates the name.
  if (kind === "client") return { kind, clientId: name as ClientId };
  if (kind === "session" && name !== undefined) return { kind, session: name };
  throw new NacreError(
    "invalid_argument",
    "handover: --to: expected client:NAME or session:ADDRESS",
    {
      field: "to",
      suggestion: "`nacre who` shows the names there are.",
    },
  );
}
