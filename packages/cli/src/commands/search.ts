import { safeText } from "@nacre/client/ui";
import { resolve } from "node:path";
import type { ExitFilter, SearchHit, SearchQuery } from "@nacre/contracts";
import { NacreError } from "@nacre/contracts/error";
import type { Command } from "../command.ts";
import type { Context } from "../context.ts";
import { shortIds } from "../find-terminal.ts";
import { type OptionValues, OWNER_VALUE, parseOwner } from "../option-values.ts";
import { type Style } from "../print.ts";

const DEFAULT_HITS = 50;

/** The host's page size. */
const PAGE_HITS = 200;

export const searchCommand: Command = {
  name: "search",
  section: "recordings",
  summary: "Find text in everything that was recorded",
  description:
    "In live terminals and in ended ones, newest first. All words must be in a line, unless -F or -E says otherwise; upper and lower case are the same.",
  arguments: [{ name: "text", description: "What to look for", isMany: true }],
  rest: { name: "text", description: "What to look for that begins with a dash", isOptional: true },
  options: [
    { name: "fixed", short: "F", description: "The text as it is, not its words" },
    { name: "regex", short: "E", description: "The text is a regular expression" },
    { name: "context", short: "C", value: "N", description: "Lines before and after each" },
    { name: "before", short: "B", value: "N", description: "Lines before each" },
    { name: "after", short: "A", value: "N", description: "Lines after each" },
    {
      name: "exit",
      value: "HOW",
      description: "Only in commands that ended so: ok, fail, unknown, or a code",
    },
    { name: "command", value: "TEXT", description: "Only in commands whose line has this" },
    { name: "cwd", value: "DIR", description: "Only in commands that ran there or below" },
    { name: "since", value: "WHEN", description: "Only what is newer: 2h, 7d, or a date" },
    { name: "until", value: "WHEN", description: "Only what is older" },
    { name: "owner", value: OWNER_VALUE, description: "Only in terminals of this owner" },
    {
      name: "terminal",
      short: "t",
      value: "TERMINAL",
      isMany: true,
      description: "Only in this terminal",
    },
    { name: "limit", short: "n", value: "N", description: "At most so many; 50 when absent" },
  ],
  examples: [
    { line: "nacre search hello", about: "everywhere" },
    {
      line: "nacre search hello --since 2h --exit ok -C 2",
      about: "lately, with the lines around",
    },
    { line: 'nacre search -E "hel+o" -t build', about: "a pattern in one terminal" },
  ],
  exitCodes: [["1", "nothing was found"]],

  async run(context) {
    const { args, rest = [], options, isQuiet, style } = context;
    const query = await queryOf(context, [...args, ...rest].join(" "));
    const limit = options.integer("limit") ?? DEFAULT_HITS;
    const { hits, ...more } = await findHits(query, limit, context);
    if (more.behind) console.error("nacre: what was written last may not be found yet");
    const shorten = shortIds([...new Set(hits.map(({ terminalId }) => terminalId))]);
    const around = aroundOf(options);
    const text = isQuiet
      ? [...new Set(hits.map(({ terminalId }) => safeText(terminalId)))].join("\n")
      : hits
          .map((hit) => hitText(hit, { id: shorten(hit.terminalId), style, ...around }))
          .join(around.before + around.after > 0 ? `\n${style.dim("--")}\n` : "\n");
    return { result: { hits, ...more }, text, exitCode: hits.length > 0 ? 0 : 1 };
  },
};

interface Around {
  readonly before: number;
  readonly after: number;
}

function aroundOf(options: OptionValues): Around {
  const both = options.integer("context") ?? 0;
  return { before: options.integer("before") ?? both, after: options.integer("after") ?? both };
}

async function queryOf(context: Context, text: string): Promise<SearchQuery> {
  const { options } = context;
  if (options.has("fixed") && options.has("regex")) {
    throw new NacreError("invalid_argument", "search: -F and -E are mutually exclusive");
  }
  const { before, after } = aroundOf(options);
  const lines = Math.max(before, after);
  const [exit, cwd, command] = [options.text("exit"), options.text("cwd"), options.text("command")];
  const [since, until, owner] = [
    options.moment("since"),
    options.moment("until"),
    options.text("owner"),
  ];
  const terminals = await Promise.all(
    options.many("terminal").map((word) => context.terminal(word)),
  );
  return {
    text,
    ...(options.has("fixed") ? { mode: "substring" } : {}),
    ...(options.has("regex") ? { mode: "regex" } : {}),
    ...(lines > 0 ? { context: lines } : {}),
    ...(exit === undefined ? {} : { exit: exitOf(exit) }),
    ...(cwd === undefined ? {} : { cwd: resolve(cwd) }),
    ...(command === undefined ? {} : { command }),
    ...(since === undefined ? {} : { since }),
    ...(until === undefined ? {} : { until }),
    ...(owner === undefined ? {} : { owner: parseOwner(owner) }),
    ...(terminals.length > 0 ? { terminalIds: terminals.map(({ id }) => id) } : {}),
  };
}

const EXITS: Readonly<Record<string, ExitFilter>> = {
  ok: "success",
  success: "success",
  fail: "failure",
  failure: "failure",
  unknown: "unknown",
};

function exitOf(word: string): ExitFilter {
  const named = EXITS[word];
  if (named !== undefined) return named;
  if (/^\d{1,9}$/.test(word)) return Number(word);
  throw new NacreError(
    "invalid_argument",
    `--exit: ${word} is not valid; expected ok, fail, unknown or an exit code`,
    { field: "exit" },
  );
}

async function findHits(query: SearchQuery, limit: number, { call }: Context) {
  const hits: SearchHit[] = [];
  let behind: true | undefined;
  for (let after: string | undefined; ;) {
    const page = await call("searchRecordings", {
      ...query,
      limit: Math.min(PAGE_HITS, limit - hits.length),
      ...(after === undefined ? {} : { after }),
    });
    hits.push(...page.hits);
    after = page.nextAfter;
    behind ??= page.behind;
    if (after === undefined || hits.length >= limit) {
      return { hits, truncated: page.truncated, ...(behind && { behind }) };
    }
  }
}

interface HitView extends Around {
  readonly id: string;
  readonly style: Style;
}

/** Like grep: position, then the line; context lines have a dash instead of a colon. */
function hitText(hit: SearchHit, { id, style, before, after }: HitView): string {
  const where = safeText(`${id}:${hit.sequence}`);
  const aside = (line: string): string => `${style.dim(`${where}-`)}${safeText(line)}`;
  return [
    ...(before > 0 ? (hit.linesBefore ?? []).slice(-before).map(aside) : []),
    `${style.cyan(where)}:${marked(hit, style)}`,
    ...(after > 0 ? (hit.linesAfter ?? []).slice(0, after).map(aside) : []),
  ].join("\n");
}

function marked({ line, matches }: SearchHit, style: Style): string {
  let text = "";
  let at = 0;
  for (const { start, end } of matches.toSorted((one, other) => one.start - other.start)) {
    if (start < at) continue;
    text +=
      safeText(line.slice(at, start)) + style.bold(style.red(safeText(line.slice(start, end))));
    at = end;
  }
  return text + safeText(line.slice(at));
}
