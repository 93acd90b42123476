import type { TerminalId } from "@nacre/contracts";
import type { Command } from "../command.ts";
import type { Context } from "../context.ts";
import { decodeEntry, followEntries } from "../live/follow-entries.ts";
import { LogLines } from "../live/log-lines.ts";
import { requireOther } from "../own-terminal.ts";
import { safeJson } from "../print.ts";
import { TERMINAL } from "../terminal-words.ts";

/** One line with when its end was written. */
interface LogLine {
  readonly at: string;
  readonly text: string;
}

/** Shows what a terminal wrote. */
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
  const isFollowing = context.options.has("follow");
  for await (const { bytes } of pieces(context, { id, isFollowing })) await write(bytes);
}

const write = (data: string | Uint8Array): Promise<void> =>
  new Promise((resolve) => {
    process.stdout.write(data, () => resolve());
  });

interface Piece {
  readonly bytes: Uint8Array;
  readonly at: string;
  readonly sequence: number;
}

/** What a terminal wrote after a sequence, with when. */
async function* pieces(
  { call, options }: Context,
  wish: { readonly id: TerminalId; readonly after?: number; readonly isFollowing: boolean },
): AsyncGenerator<Piece> {
  const since = options.moment("since");
  for await (const entry of followEntries(call, { ...wish, types: ["output"] })) {
    if (entry.type !== "output" || (since !== undefined && entry.occurredAt < since)) continue;
    yield { bytes: decodeEntry(entry), at: entry.occurredAt, sequence: entry.sequence };
  }
}

/** The lines that were asked for: of what is there the last ones, and then what comes. */
async function* selectedLines(context: Context, id: TerminalId): AsyncGenerator<LogLine> {
  const { options } = context;
  const tail = options.integer("tail");
  const maker = new LogLines();
  const kept: LogLine[] = [];
  let [after, at] = [0, ""];
  for await (const piece of pieces(context, { id, isFollowing: false })) {
    ({ sequence: after, at } = piece);
    const lines = linesOf(maker.push(piece.bytes), at);
    if (tail === undefined) yield* lines;
    else kept.splice(0, Math.max(0, kept.push(...lines) - tail));
  }
  if (options.has("follow")) {
    yield* kept.splice(0);
    for await (const piece of pieces(context, { id, after, isFollowing: true })) {
      at = piece.at;
      yield* linesOf(maker.push(piece.bytes), at);
    }
  }
  kept.push(...linesOf(maker.finish(), at));
  yield* kept.slice(Math.max(0, kept.length - (tail ?? kept.length)));
}

const linesOf = (texts: readonly string[], at: string): readonly LogLine[] =>
  texts.map((text) => ({ at, text }));
