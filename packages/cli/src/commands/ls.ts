import {
  type After,
  describeState,
  formatAge,
  INPUT_WORDS,
  isAlive,
  needsOf,
  PAGE_ROWS,
  readAll,
  safeLines,
  safeText,
  type Tone,
} from "@nacre/client/ui";
import type { TerminalId, TerminalStorage, TerminalSummary } from "@nacre/contracts";
import type { Command } from "../command.ts";
import type { Context } from "../context.ts";
import { holderText, storageWarning } from "../describe.ts";
import { shortIds } from "../find-terminal.ts";
import { OWNER_VALUE, parseOwner } from "../option-values.ts";
import { type Column, formatTable } from "../print.ts";

/** Only its row is left: `recorded`. */
type Listed = TerminalSummary | (TerminalStorage & { readonly state: "recorded" });

export const lsCommand: Command = {
  name: "ls",
  section: "terminals",
  summary: "List terminals",
  options: [
    { name: "all", short: "a", description: "Those that have ended too, and what is recorded" },
    { name: "owner", value: OWNER_VALUE, description: "Only those of this owner" },
    {
      name: "needs-you",
      description: "Only those that wait for a person: questions, secrets, requests, failures",
    },
  ],
  examples: [
    { line: "nacre ls", about: "what runs" },
    { line: "nacre ls -a", about: "with everything that ended" },
    { line: "nacre ls -q", about: "only the ids" },
    { line: "nacre ls --json", about: "everything, for programs" },
  ],

  async run(context) {
    const { options, isQuiet, style } = context;
    const isAll = options.has("all");
    const [terminals, { storage }] = await Promise.all([
      listedTerminals(context),
      context.call("readHost", {}),
    ]);
    const shown: Listed[] = terminals.filter(
      (one) => (isAll || isAlive(one)) && (!options.has("needs-you") || needsOf(one).length > 0),
    );
    if (isAll && !options.has("needs-you")) shown.unshift(...(await recorded(context, terminals)));
    const result = { terminals: shown, ...(storage.state === "ok" ? {} : { storage }) };
    if (isQuiet) return { result, text: idsOf(shown) };
    const list =
      shown.length === 0
        ? style.dim(nothing(terminals.length))
        : formatTable(shown, columnsFor(shown), style);
    const warning = storageWarning(storage);
    const text = warning === undefined ? list : `${style.yellow(safeLines(warning))}\n\n${list}`;
    return { result, text };
  },
};

const idsOf = (terminals: readonly Listed[]): string =>
  terminals.map(({ id }) => safeText(id)).join("\n");

const nothing = (ended: number): string =>
  ended === 0
    ? "No terminals. `nacre new` creates one."
    : `No terminal runs; \`nacre ls -a\` lists ${ended} that ended. \`nacre new\` creates one.`;

const ownerFilter = ({ options }: Context) => {
  const owner = options.text("owner");
  return owner === undefined ? {} : { owner: parseOwner(owner) };
};

const listedTerminals = (context: Context): Promise<readonly TerminalSummary[]> =>
  readAll(
    (after: After<TerminalId>) =>
      context.call("listTerminals", { limit: PAGE_ROWS, ...ownerFilter(context), ...after }),
    ({ terminals }) => terminals,
  );

/** No longer listed, but still recorded. */
async function recorded(
  context: Context,
  listed: readonly TerminalSummary[],
): Promise<readonly Listed[]> {
  const known = new Set<string>(listed.map(({ id }) => id));
  const rows = await readAll(
    (after: After<TerminalId>) =>
      context.call("listRecordings", { limit: PAGE_ROWS, ...ownerFilter(context), ...after }),
    ({ recordings }) => recordings,
  );
  return rows.flatMap((row) => (known.has(row.id) ? [] : { ...row, state: "recorded" as const }));
}

function columnsFor(terminals: readonly Listed[]): readonly Column<Listed>[] {
  const shorten = shortIds(terminals.map(({ id }) => id));
  const now = Date.now();
  return [
    { head: "ID", text: ({ id }) => shorten(id), mark: (text, _, style) => style.cyan(text) },
    { head: "TITLE", text: titleOf, maxWidth: 28, mark: (text, _, style) => style.bold(text) },
    {
      head: "STATE",
      text: (one) => stateOf(one).words,
      mark: (text, one, style) => style.tone(stateOf(one).tone, text),
    },
    {
      head: "HELD BY",
      text: (one) => (one.state === "recorded" ? "" : holderText(one.claim.claim)),
      maxWidth: 24,
    },
    { head: "RUNS", text: runningOf, maxWidth: 32 },
    { head: "AGE", text: ({ createdAt }) => formatAge(now - Date.parse(createdAt)) },
    { head: "IN", text: directoryOf, maxWidth: 48 },
  ];
}

const titleOf = (one: Listed): string =>
  one.name ?? (one.state === "recorded" ? (one.command ?? "") : one.title);

/** What a terminal needs or how it is; what needs somebody has a sign too, since colours are not for everybody. */
function stateOf(one: Listed): { readonly words: string; readonly tone: Tone } {
  if (one.state === "recorded") return describeState({});
  const { words, tone, details } = describeState(one);
  if (one.recordingBlocked) return { words: `! ${words}`, tone };
  if (one.inputNeeded) return { words: `! ${INPUT_WORDS[one.inputNeeded.kind]}`, tone: "warn" };
  return { words: one.lostReason ? `${words}: ${details}` : words, tone };
}

const runningOf = (one: Listed): string =>
  one.state === "recorded" ? "" : (one.runningCommand?.commandLine ?? "");

const directoryOf = (one: Listed): string =>
  one.state === "recorded" ? one.workingDirectory : (one.cwd ?? "");
