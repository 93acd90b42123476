import { safeJson } from "@nacre/client/ui";
import type { TerminalId, TerminalRecordingEntry } from "@nacre/contracts";
import type { Command } from "../command.ts";
import type { Context } from "../context.ts";
import { decodeEntry, followEntries } from "../live/follow-entries.ts";
import { type LogLine, LogLines } from "../live/log-lines.ts";
import { requireOther } from "../own-terminal.ts";
import { TERMINAL } from "../terminal-words.ts";

export const logsCommand: Command = {
  name: "logs",
  section: "recordings",
  summary: "Show what a terminal wrote, live or ended, line by line",
  description:
    "Lines are plain text, without colours and movements of the cursor; --raw has every byte as it was written. With --json and -f each line is an object of its own.",
  arguments: [TERMINAL],
  options: [
    {
      name: "follow",
      short: "f",
      description: "Go on with what is written, to the end of the program",
    },
    { name: "tail", short: "n", value: "COUNT", description: "Only the last lines" },
    {
      name: "since",
      value: "TIME",
      description: "Only what was written since, such as 1h or a date",
    },
    { name: "timestamps", short: "t", description: "Say when each line was written" },
    { name: "raw", description: "Every byte, with escape sequences" },
  ],
  examples: [
    { line: "nacre logs build", about: "everything" },
    { line: "nacre logs --tail 20 --since 1h build", about: "the last lines of the last hour" },
    { line: "nacre logs -f build", about: "go on with what is written", kind: "lasts" },
    { line: "nacre logs --json build", about: "for programs" },
  ],

  async run(context) {
    const { id } = await context.terminal(context.args[0]);
    if (context.options.has("follow") && process.stdout.isTTY) requireOther(id, "logs --follow");
    if (context.options.has("raw")) {
      await copyRaw(context, id);
      return { result: undefined, text: "", isPrinted: true };
    }
    if (!context.isJson || context.options.has("follow")) {
      await print(context, id);
      return { result: undefined, text: "", isPrinted: true };
    }
    const lines: LogLine[] = [];
    for await (const line of selectedLines(context, id)) lines.push(line);
    return { result: { terminalId: id, lines }, text: "" };
  },
};

async function print(context: Context, id: TerminalId): Promise<void> {
  const { isJson, options, style } = context;
  const hasTime = options.has("timestamps");
  for await (const line of selectedLines(context, id)) {
    const time = hasTime ? `${style.dim(line.at)} ` : "";
    await write(isJson ? `${safeJson(line)}\n` : `${time}${line.text}\n`);
  }
}

async function copyRaw(context: Context, id: TerminalId): Promise<void> {
  const { call, options } = context;
  const since = options.moment("since");
  const wish = { id, types: ["output"] as const, isFollowing: options.has("follow") };
  for await (const entry of followEntries(call, wish)) {
    if (entry.type !== "output" || (since !== undefined && entry.occurredAt < since)) continue;
    await write(decodeEntry(entry));
  }
}

const write = (data: string | Uint8Array): Promise<void> =>
  new Promise((resolve) => {
    process.stdout.write(data, () => resolve());
  });

/** Of what is there the last ones, then what comes. */
async function* selectedLines(context: Context, id: TerminalId): AsyncGenerator<LogLine> {
  const { options, call } = context;
  const [tail, since] = [options.integer("tail"), options.moment("since")];
  const maker = new LogLines();
  const kept: LogLine[] = [];
  let after = 0;
  const linesOf = (entry: TerminalRecordingEntry): readonly LogLine[] => {
    if (entry.type === "header" || entry.type === "resize") {
      maker.resize({ cols: entry.cols, rows: entry.rows });
    }
    if (entry.type !== "output" || (since !== undefined && entry.occurredAt < since)) return [];
    return maker.push(decodeEntry(entry), entry.occurredAt);
  };
  const wish = { id, types: ["header", "resize", "output"] as const };
  for await (const entry of followEntries(call, { ...wish, isFollowing: false })) {
    after = entry.sequence;
    const lines = linesOf(entry);
    if (tail === undefined) yield* lines;
    else kept.splice(0, Math.max(0, kept.push(...lines) - tail));
  }
  if (options.has("follow")) {
    kept.push(...maker.settle());
    const shown = kept.splice(0);
    yield* shown.slice(Math.max(0, shown.length - (tail ?? shown.length)));
    for await (const entry of followEntries(call, { ...wish, after, isFollowing: true })) {
      yield* linesOf(entry);
      yield* maker.settle();
    }
  }
  kept.push(...maker.finish());
  yield* kept.slice(Math.max(0, kept.length - (tail ?? kept.length)));
}
