import {
  describeNeed,
  formatAge,
  isAnswerRead,
  type Need,
  needsOf,
  safeLines,
  safeText,
} from "@nacre/client/ui";
import type { QuickCall } from "@nacre/client/quick";
import type { Command } from "../command.ts";
import type { Context } from "../context.ts";
import { storageWarning } from "../describe.ts";
import { shortIds } from "../find-terminal.ts";
import { type Column, formatTable } from "../print.ts";

export const inboxCommand: Command = {
  name: "inbox",
  section: "sharing",
  summary: "List what waits for you: questions, secrets, requests, failures, a full disk",
  description:
    "`nacre answer` answers them, with --request where a terminal has several questions. A question that lapsed stays until it is dismissed, so that you learn that it was asked.",
  options: [{ name: "dismiss", description: "Take questions that lapsed off the list" }],
  examples: [
    { line: "nacre inbox", about: "everything, the oldest first" },
    { line: "nacre inbox --json", about: "for programs" },
  ],

  async run({ call, isQuiet, options, style }) {
    if (options.has("dismiss")) await dismissLapsed(call);
    const [needs, { storage }] = await Promise.all([allNeeds(call), call("readHost", {})]);
    const shorten = shortIds(needs.map(({ terminal: { id } }) => id));
    const result = {
      needs: needs.map(({ terminal: { id, title }, ...need }, at) => ({
        id,
        title,
        since: describeNeed(needs[at]!).since,
        ...need,
      })),
      ...(storage.state === "ok" ? {} : { storage }),
    };
    const now = Date.now();
    if (isQuiet) {
      const ids = new Set(needs.map(({ terminal: { id } }) => safeText(id)));
      return { result, text: [...ids].join("\n") };
    }
    const warning = storageWarning(storage);
    const waiting =
      needs.length === 0
        ? style.dim("Nothing waits for you.")
        : formatTable(
            needs,
            [
              {
                head: "ID",
                text: ({ terminal: { id } }) => shorten(id),
                mark: (cell, _, on) => on.cyan(cell),
              },
              { head: "TITLE", text: ({ terminal: { title } }) => title, maxWidth: 28 },
              {
                head: "SINCE",
                text: (need) => formatAge(now - Date.parse(describeNeed(need).since)),
              },
              ...requestColumn(needs),
              {
                head: "WHAT",
                text: wordsOf,
                mark: (cell, need, on) => on.tone(describeNeed(need).tone, cell),
              },
            ],
            style,
          );
    if (warning === undefined) return { result, text: waiting };
    const lines = [style.yellow(safeLines(warning)), ...(needs.length === 0 ? [] : ["", waiting])];
    return { result, text: lines.join("\n") };
  },
};

/** Where a terminal has several. */
function requestColumn(needs: readonly Need[]): readonly Column<Need>[] {
  const questions = needs.filter((need) => need.kind === "question");
  const terminals = new Set(questions.map(({ terminal: { id } }) => id));
  if (terminals.size === questions.length) return [];
  const shorten = shortIds(questions.map(({ request: { requestId } }) => requestId));
  return [
    {
      head: "REQUEST",
      text: (need) => (need.kind === "question" ? shorten(need.request.requestId) : ""),
    },
  ];
}

async function dismissLapsed(call: Context["call"]): Promise<void> {
  for (const need of await allNeeds(call)) {
    if (need.kind !== "lapsed") continue;
    const { requestId } = need.request;
    await call("withdrawInput", { id: need.terminal.id, requestId });
  }
}

function wordsOf(need: Need): string {
  const { who, words, quote, note } = describeNeed(need);
  const said = who === undefined ? words : `${who} ${words}`;
  const request = need.kind === "question" ? need.request : undefined;
  const offered = request?.choices?.map(({ value }) => value).join("/");
  const isUnread = request !== undefined && !isAnswerRead(need.terminal, request);
  const aside = isUnread ? "no program reads it yet" : note;
  return [
    quote === undefined ? said : `${said}: ${quote}`,
    ...(offered === undefined ? [] : [`[${offered}]`]),
    ...(aside === undefined ? [] : [`(${aside})`]),
  ].join(" ");
}

/** Oldest first. */
export async function allNeeds(call: QuickCall): Promise<readonly Need[]> {
  const { terminals } = await call("listTerminals", { state: "active", limit: 1000 });
  const ended = await call("listTerminals", { state: "exited", limit: 1000 });
  // Of a program that ended, only unanswered questions are left.
  const lapsed = ended.terminals.flatMap(needsOf).filter(({ kind }) => kind === "lapsed");
  return [...terminals.flatMap(needsOf), ...lapsed].toSorted(
    (one, other) => Date.parse(describeNeed(one).since) - Date.parse(describeNeed(other).since),
  );
}
