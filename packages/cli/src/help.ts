import type { Argument, Command, Declaration, Option, RestArguments, Section } from "./command.ts";
import { GLOBAL_OPTIONS } from "./parse-words.ts";
import { type Verb, VERBS } from "./verbs.ts";

export const SECTIONS: Readonly<Record<Section, string>> = {
  terminals: "Terminals",
  driving: "Type, look and wait",
  recordings: "What happened",
  sharing: "Who drives",
  daemon: "The daemon",
  other: "Also",
};

export interface DeclaredVerb extends Declaration {
  readonly aliases: readonly string[];
}

/** In the order of the help. */
export async function declaredVerbs(): Promise<readonly DeclaredVerb[]> {
  return await Promise.all(VERBS.map(declare));
}

export async function declare(verb: Verb): Promise<DeclaredVerb & Command> {
  return { ...(await verb.load()), aliases: verb.aliases ?? [] };
}

function twoColumns(lines: readonly (readonly [string, string])[]): readonly string[] {
  const width = Math.max(...lines.map(([name]) => name.length));
  return lines.map(([name, words]) => `  ${name.padEnd(width)}  ${words}`.trimEnd());
}

const argumentWord = ({ name, isOptional, isMany }: Argument): string => {
  const word = `${isOptional ? `[${name}]` : `<${name}>`}`;
  return isMany ? `${word}…` : word;
};

const restWord = ({ name, isOptional, isGreedy }: RestArguments): string => {
  const word = `${isGreedy ? "[--]" : "--"} <${name}>…`;
  return isOptional ? `[${word}]` : word;
};

export function formatUsage({
  name,
  arguments: args = [],
  options = [],
  rest,
}: Declaration): string {
  return [
    "nacre",
    name,
    ...(options.length > 0 ? ["[options]"] : []),
    ...args.map(argumentWord),
    ...(rest ? [restWord(rest)] : []),
  ].join(" ");
}

export function formatOption({ name, short, value, isMany }: Option): string {
  const long = `--${name}${value === undefined ? "" : ` ${value}`}${isMany ? "…" : ""}`;
  return short === undefined ? long : `-${short}, ${long}`;
}

export const describeOption = ({ description, choices }: Option): string =>
  choices === undefined ? description : `${description} (${choices.join(", ")})`;

const optionLines = (options: readonly Option[]): readonly string[] =>
  twoColumns(options.map((option) => [formatOption(option), describeOption(option)]));

export function listArguments({ arguments: args = [], rest }: Declaration) {
  return [
    ...args.map((one) => [argumentWord(one), one.description] as const),
    ...(rest ? [[restWord(rest), rest.description] as const] : []),
  ];
}

export function formatHelp(verb: DeclaredVerb): string {
  const { summary, description, options = [], examples, aliases, exitCodes = [] } = verb;
  const words = listArguments(verb);
  return [
    `${summary}.`,
    ...(description === undefined ? [] : ["", description]),
    "",
    `Usage: ${formatUsage(verb)}`,
    ...(aliases.length > 0 ? [`Also:  ${aliases.join(", ")}`] : []),
    ...(words.length > 0 ? ["", ...twoColumns(words)] : []),
    ...(options.length > 0 ? ["", "Options:", ...optionLines(options)] : []),
    "",
    "Options of every verb:",
    ...optionLines(GLOBAL_OPTIONS),
    ...(exitCodes.length > 0 ? ["", "Exit codes:", ...twoColumns(exitCodes)] : []),
    "",
    "Examples:",
    ...twoColumns(examples.map(({ line, about }) => [line, about])),
  ].join("\n");
}

export async function overview(): Promise<string> {
  const verbs = await declaredVerbs();
  const width = Math.max(...verbs.map(({ name }) => name.length));
  const sections = Object.entries(SECTIONS).flatMap(([section, title]) => {
    const own = verbs.filter((verb) => verb.section === section);
    return own.length === 0
      ? []
      : ["", `${title}:`, ...own.map(({ name, summary }) => `  ${name.padEnd(width)}  ${summary}`)];
  });
  return [
    "nacre: terminals as durable, shared, recorded things",
    "",
    "Usage: nacre <verb> [options]",
    ...sections,
    "",
    "`nacre <verb> --help` has options and examples. A terminal is named by its id, the beginning of",
    "its id, or its name; inside a terminal it may be left out. A verb may be cut short: `nacre hist`.",
  ].join("\n");
}
