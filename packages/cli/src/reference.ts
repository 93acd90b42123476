// Generates docs/reference/cli.md from the declarations.
import { ERRORS } from "@nacre/contracts/error";
import type { Option, Section } from "./command.ts";
import {
  type DeclaredVerb,
  declaredVerbs,
  describeOption,
  formatOption,
  formatUsage,
  listArguments,
  SECTIONS,
} from "./help.ts";
import { GLOBAL_OPTIONS } from "./parse-words.ts";

export const REFERENCE_PATH = "cli.md";

export async function cliReference(): Promise<string> {
  const verbs = await declaredVerbs();
  const sections = Object.entries(SECTIONS).flatMap(([section, title]) => {
    const own = verbs.filter((verb) => verb.section === (section as Section));
    return own.length === 0 ? [] : [`## ${title}`, ...own.flatMap(verbPart)];
  });
  return `${[
    "# The command `nacre`",
    "Made from the verbs themselves by `npm run generate`; `nacre <verb> --help` says the same.",
    "A terminal is named by its id, the beginning of its id, or its name; its title counts where nothing else fits. Inside a terminal it may be left out: `NACRE_TERMINAL_ID` names it. A verb may be cut short as long as only one begins so. The daemon is started by the first verb that needs it.",
    listOf(verbs),
    "## Options of every verb",
    optionTable(GLOBAL_OPTIONS),
    ...sections,
    ...answers(),
    "## Exit codes",
    "They do not change. `exec` and `run` pass on the code of the program and have codes of their own for what went wrong before it.",
    exitTable(),
  ].join("\n\n")}\n`;
}

const listOf = (verbs: readonly DeclaredVerb[]): string =>
  table(
    ["Verb", "Also", "What it does"],
    verbs.map(({ name, aliases, summary }) => [
      `[\`${name}\`](#${name})`,
      aliases.map((alias) => `\`${alias}\``).join(", "),
      summary,
    ]),
  );

function verbPart(verb: DeclaredVerb): readonly string[] {
  const { name, aliases, summary, description, options = [], examples, exitCodes = [] } = verb;
  const words = listArguments(verb);
  return [
    `### ${name}`,
    `${summary}.${description === undefined ? "" : ` ${paragraphOf(description)}`}${aliases.length > 0 ? ` Also: ${aliases.map((alias) => `\`${alias}\``).join(", ")}.` : ""}`,
    fenced("text", [formatUsage(verb)]),
    ...(words.length > 0
      ? [
          table(
            ["Word", "Meaning"],
            words.map(([word, meaning]) => [`\`${word}\``, meaning]),
          ),
        ]
      : []),
    ...(options.length > 0 ? [optionTable(options)] : []),
    ...(exitCodes.length > 0
      ? [
          table(
            ["Exit code", "Meaning"],
            exitCodes.map(([code, meaning]) => [code, meaning]),
          ),
        ]
      : []),
    fenced(
      "console",
      examples.map(({ line, about }) => `$ ${line}  # ${about}`),
    ),
  ];
}

/** Keeps lines of the help on lines of their own. */
const paragraphOf = (description: string): string =>
  description.includes("\n  ")
    ? description.replace(
        /\n((?: {2}.*\n?)+)/,
        (_, lines: string) =>
          `\n\n${fenced(
            "text",
            lines
              .trimEnd()
              .split("\n")
              .map((line) => line.slice(2)),
          )}\n`,
      )
    : description;

const optionTable = (options: readonly Option[]): string =>
  table(
    ["Option", "Meaning"],
    options.map((option) => [`\`${formatOption(option)}\``, describeOption(option)]),
  );

function answers(): readonly string[] {
  return [
    "## JSON",
    "With `--json` every verb prints one object on one line. Characters that a terminal would act on are escaped in it.",
    fenced("text", [
      '{"ok":true,"command":"new","result":{"id":"terminal:…"}}',
      '{"ok":false,"error":{"code":"terminal_not_found","message":"…","suggestion":"…","field":"terminal"}}',
    ]),
    "Where something did not come about but something was seen, such as a `wait` that ran out of time, both `error` and `result` are there. Streams (`events`, `logs --follow`) print one object on a line for each message, without this envelope.",
  ];
}

/** From the table of errors; verbs that run a program add theirs. */
function exitTable(): string {
  const meanings = new Map<number, string[]>([[0, ["It was done."]]]);
  for (const [code, { cliExitCode, meaning }] of Object.entries(ERRORS)) {
    const known = meanings.get(cliExitCode) ?? [];
    meanings.set(cliExitCode, [...known, `\`${code}\`: ${meaning}`]);
  }
  const own: readonly (readonly [string, string])[] = [
    ["124", "`exec`, `run`: the program did not end in time."],
    ["125", "`exec`, `run`: Nacre could not run it."],
    ["128+n", "`exec`, `run`: signal n ended the program."],
  ];
  const rows = [...meanings]
    .toSorted(([one], [other]) => one - other)
    .map(([code, words]) => [String(code), words.join("<br>")] as const);
  return table(["Code", "Meaning"], [...rows, ...own]);
}

const fenced = (language: string, lines: readonly string[]): string =>
  ["```" + language, ...lines, "```"].join("\n");

const cell = (text: string): string => text.replaceAll("|", String.raw`\|`);

/** As oxfmt formats it. */
function table(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const cells = [heads, ...rows].map((row) => heads.map((_, at) => cell(row[at] ?? "")));
  const widths = heads.map((_, at) => Math.max(3, ...cells.map((row) => row[at]?.length ?? 0)));
  const line = (row: readonly string[]): string =>
    `| ${row.map((text, at) => text.padEnd(widths[at] ?? 0)).join(" | ")} |`;
  const [head = [], ...body] = cells;
  return [line(head), line(widths.map((width) => "-".repeat(width))), ...body.map(line)].join("\n");
}
