import { safeText } from "@nacre/client/ui";
import type { Command } from "../command.ts";
import { holderText } from "../describe.ts";
import { NacreError } from "@nacre/contracts/error";
import { TERMINAL } from "../terminal-words.ts";

const DEFAULT_TIMEOUT_MS = 120_000;

export const claimCommand: Command = {
  name: "claim",
  section: "sharing",
  summary: "Take over a terminal, or ask its holder for it",
  description:
    "Who held it sees that and keeps watching. `nacre release` gives it back. The claim is that of all your `nacre` commands together.",
  arguments: [TERMINAL],
  options: [
    { name: "ask", description: "Ask the holder, and wait for the answer" },
    { name: "if-free", description: "Leave it to who holds it" },
    { name: "note", value: "TEXT", description: "A few words for who reads it" },
    { name: "timeout", value: "TIME", description: "With --ask: how long; 2m when absent" },
  ],
  examples: [
    { line: "nacre claim build", about: "take over" },
    { line: 'nacre claim build --note "I will fix the merge"', about: "and say why" },
  ],
  exitCodes: [["5", "somebody else holds it and keeps it"]],

  async run(context) {
    const { call, options, isQuiet } = context;
    const { id } = await context.terminal(context.args[0]);
    const note = options.text("note");
    const words = note === undefined ? {} : { note };
    if (options.has("ask")) {
      const timeoutMs = options.durationMs("timeout") ?? DEFAULT_TIMEOUT_MS;
      const result = await call("requestControl", { id, ...words, timeoutMs, wait: true });
      const { outcome } = result;
      if (outcome === "granted") return { result, text: isQuiet ? "" : "It is yours." };
      const failure = new NacreError(
        "claim_held",
        `the request for control was not granted: ${outcome}`,
        {
          suggestion: "Ask again, or take over without --ask if you are the operator.",
        },
      );
      return { result, text: "", failure };
    }
    const result = await call("moveClaim", {
      id,
      ...words,
      ...(options.has("if-free") ? { takeover: false } : {}),
    });
    return { result, text: isQuiet ? "" : `Held by ${safeText(holderText(result.claim))}.` };
  },
};
