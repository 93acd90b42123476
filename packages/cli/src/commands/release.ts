import { safeText } from "@nacre/client/ui";
import type { Command } from "../command.ts";
import { holderText } from "../describe.ts";
import { TERMINAL } from "../terminal-words.ts";

export const releaseCommand: Command = {
  name: "release",
  section: "sharing",
  summary: "Give a terminal back to whom it was taken from",
  arguments: [TERMINAL],
  options: [
    { name: "note", value: "TEXT", description: "A few words, such as what is left to do" },
  ],
  examples: [
    { line: 'nacre release build --note "fixed, go on"', about: "give back what `claim` took" },
  ],

  async run(context) {
    const { call, options, isQuiet } = context;
    const { id } = await context.terminal(context.args[0]);
    const note = options.text("note");
    const result = await call("handBackClaim", { id, ...(note === undefined ? {} : { note }) });
    return { result, text: isQuiet ? "" : `Held by ${safeText(holderText(result.claim))}.` };
  },
};
