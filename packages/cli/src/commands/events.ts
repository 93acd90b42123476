import { safeJson, safeText } from "@nacre/client/ui";
import type { EntityEventsMessage } from "@nacre/contracts";
import type { Command } from "../command.ts";
import { uidOf } from "../find-terminal.ts";
import { ownTerminal, requireOther } from "../own-terminal.ts";
import { type Style } from "../print.ts";

export const eventsCommand: Command = {
  name: "events",
  section: "daemon",
  summary: "Print what happens, as it happens",
  description:
    "One line for each event, and one line of JSON with --json, until Ctrl-C. Lost connections are made again; `resync` says that some may be missing. Shown inside a terminal, its own events are left out: each line of them would make the next.",
  arguments: [
    {
      name: "channel",
      description:
        "Which events, such as terminal:*.data.changed; those of all terminals when left out",
      isOptional: true,
      isMany: true,
    },
  ],
  options: [
    { name: "after", value: "EVENT", description: "Go on after the event of this id" },
    { name: "limit", short: "n", value: "N", description: "End after so many" },
    { name: "timeout", value: "TIME", description: "End after so long" },
  ],
  examples: [
    { line: "nacre events", about: "everything that terminals do", kind: "lasts" },
    {
      line: 'nacre events "terminal:*.data.changed" --timeout 1s',
      about: "one kind, for a second",
    },
    { line: "nacre events --json --timeout 1s", about: "for programs" },
  ],

  async run({ args, options, isJson, style, client }) {
    const after = options.text("after");
    const limit = options.integer("limit") ?? Number.POSITIVE_INFINITY;
    const timeoutMs = options.durationMs("timeout");
    const channels = args.length > 0 ? args : ["terminal:*.*"];
    // Output written elsewhere causes no events of this terminal.
    const own = process.stdout.isTTY ? ownTerminal() : undefined;
    if (own !== undefined && args.some((channel) => channel.startsWith(`${own}.`))) {
      requireOther(own, "events");
    }
    const connected = await client();
    const signal = timeoutMs === undefined ? undefined : AbortSignal.timeout(timeoutMs);
    const following = connected.events({
      channels,
      ...(after === undefined ? {} : { after }),
      ...(signal === undefined ? {} : { signal }),
    });
    let count = 0;
    for await (const message of following) {
      if (own !== undefined && isOf(message, own)) continue;
      process.stdout.write(`${isJson ? safeJson(message) : lineOf(message, style)}\n`);
      if (message.type === "event") count++;
      if (count >= limit) break;
    }
    return { result: {}, text: "", isPrinted: true };
  },
};

/** About this terminal, or its row in lists. */
const isOf = (message: EntityEventsMessage, terminal: string): boolean =>
  message.type === "event" && identityOf(message.event.entityId) === identityOf(terminal);

const identityOf = (entityId: string): string => entityId.slice(entityId.indexOf(":") + 1);

function lineOf(message: EntityEventsMessage, style: Style): string {
  if (message.type === "resync") {
    return style.yellow(`resync: ${safeText(message.reason ?? "events were missed")}`);
  }
  const { occurredAt, kind, entityId } = message.event;
  return `${style.dim(occurredAt)}  ${safeText(kind)}  ${style.cyan(safeText(uidOf(entityId)))}`;
}
