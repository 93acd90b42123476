import { needsOf } from "@nacre/client/quick";
import type { TerminalId, TerminalStorage, TerminalSummary } from "@nacre/contracts";
import type { Command } from "../command.ts";
import type { Context } from "../context.ts";
import {
  blockedWords,
  describeHolder,
  describeNeed,
  LOST_WORDS,
  storageWarning,
} from "../describe.ts";
import { formatAge } from "../duration.ts";
import { shortIds } from "../find-terminal.ts";
import { OWNER_VALUE, parseOwner } from "../option-values.ts";
import { type Column, formatTable, safeLines, safeText } from "../print.ts";

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

const isAlive = ({ state }: TerminalSummary): boolean =>
  state === "creating" || state === "active" || state === "killing";

const idsOf = (terminals: readonly Listed[]): string =>
  terminals.map(({ id }) => safeText(id)).join("\n");

const nothing = (ended: number): string =>
  ended === 0
    ? "No terminals. `nacre new` creates one."
    : `No terminal runs; \`nacre ls -a\` lists ${ended} that ended. \`nacre new\` creates one.`;

async function listedTerminals({ call, options }: Context): Promise<readonly TerminalSummary[]> {
  const found: TerminalSummary[] = [];
  const owner = options.text("owner");
  for (let after: TerminalId | undefined; ;) {
    const page = await call("listTerminals", {
      limit: 1000,
      ...(owner === undefined ? {} : { owner: parseOwner(owner) }),
      ...(after === undefined ? {} : { after }),
    });
    found.push(...page.terminals);
    after = page.nextAfter;
    if (after === undefined) return found;
  }
}

/** No longer listed, but still recorded. */
async function recorded(
  { call, options }: Context,
  listed: readonly TerminalSummary[],
): Promise<readonly Listed[]> {
  const known = new Set<string>(listed.map(({ id }) => id));
  const found: Listed[] = [];
  const owner = options.text("owner");
  for (let after: TerminalId | undefined; ;) {
    const page = await call("listRecordings", {
      limit: 1000,
      ...(owner === undefined ? {} : { owner: parseOwner(owner) }),
      ...(after === undefined ? {} : { after }),
    });
    const rows = page.recordings.filter(({ id }) => !known.has(id));
    found.push(...rows.map((row) => ({ ...row, state: "recorded" as const })));
    after = page.nextAfter;
    if (after === undefined) return found;
  }
}

function columnsFor(terminals: readonly Listed[]): readonly Column<Listed>[] {
  const shorten = shortIds(terminals.map(({ id }) => id));
  const now = Date.now();
  return [
    { head: "ID", text: ({ id }) => shorten(id), mark: (text, _, style) => style.cyan(text) },
    { head: "TITLE", text: titleOf, maxWidth: 28, mark: (text, _, style) => style.bold(text) },
    { head: "STATE", text: stateOf, mark: (text, row, style) => markState(text, row, style) },
    {
      head: "HELD BY",
      text: (one) => (one.state === "recorded" ? "" : describeHolder(one.claim.claim)),
      maxWidth: 24,
    },
    { head: "RUNS", text: runningOf, maxWidth: 32 },
    { head: "AGE", text: ({ createdAt }) => formatAge(createdAt, now) },
    { head: "IN", text: directoryOf, maxWidth: 48 },
  ];
}

const titleOf = (one: Listed): string =>
  one.name ?? (one.state === "recorded" ? (one.command ?? "") : one.title);

/** A word and a sign, since colours are not for everybody. */
function stateOf(one: Listed): string {
  if (one.state === "recorded") return one.state;
  if (one.recordingBlocked) return `! ${blockedWords(one.recordingBlocked)}`;
  if (one.inputNeeded) return `! ${describeNeed(one)}`;
  if (one.state === "lost" && one.lostReason) return `lost: ${LOST_WORDS[one.lostReason]}`;
  if (one.state !== "exited") return one.state;
  return `exited ${one.signal ?? one.exitCode ?? "?"}`;
}

const markState: NonNullable<Column<Listed>["mark"]> = (text, one, style) => {
  if (one.state === "recorded") return style.dim(text);
  if (one.recordingBlocked ?? one.inputNeeded) return style.yellow(text);
  if (one.state === "active") return style.green(text);
  return one.exitCode === 0 ? style.dim(text) : style.red(text);
};

const runningOf = (one: Listed): string =>
  one.state === "recorded" ? "" : (one.runningCommand?.commandLine ?? "");

const directoryOf = (one: Listed): string =>
  one.state === "recorded" ? one.workingDirectory : (one.cwd ?? "");
