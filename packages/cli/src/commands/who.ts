import { formatAgo, safeText } from "@nacre/client/ui";
import type { Command } from "../command.ts";
import { holderText } from "../describe.ts";
import { shownLimits } from "../limits.ts";
import { TERMINAL } from "../terminal-words.ts";

export const whoCommand: Command = {
  name: "who",
  section: "sharing",
  summary: "Say who drives a terminal, who watches, who asks for it, and its limits",
  arguments: [TERMINAL],
  examples: [
    { line: "nacre who build", about: "for people" },
    { line: "nacre who build --json", about: "for programs" },
  ],

  async run(context) {
    const { call } = context;
    const { id } = await context.terminal(context.args[0]);
    const {
      owner,
      claim,
      viewers,
      inputPolicy,
      controlRequests = [],
      limits,
      limitReached,
    } = await call("readTerminal", { id });
    const now = Date.now();
    const lines = [
      `owner    ${safeText(`${owner.entityName}:${owner.entityId}`)}`,
      `held by  ${safeText(holderText(claim.claim))}, since ${formatAgo(now - Date.parse(claim.since))}`,
      `typing   ${inputPolicy === "open" ? "everybody who may change it" : "only the holder"}`,
      `viewers  ${viewers}`,
      ...(limits === undefined ? [] : [`limits   ${shownLimits(limits)}`]),
      ...(limitReached === undefined ? [] : [`ended    its limit of ${limitReached} was reached`]),
      ...controlRequests.map(
        (one) =>
          `asks     ${safeText(holderText(one.claim))}, since ${formatAgo(now - Date.parse(one.askedAt))}${one.note === undefined ? "" : `: ${safeText(one.note)}`}`,
      ),
    ];
    const shared = { id, owner, claim, viewers, inputPolicy, controlRequests };
    const result = { ...shared, limits, limitReached };
    return { result, text: lines.join("\n") };
  },
};
