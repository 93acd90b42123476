#!/usr/bin/env node
import { safeJson, safeText } from "@nacre/client/ui";
import { ERRORS, NacreError } from "@nacre/contracts/error";
import type { Command, Outcome } from "./command.ts";
import { Context } from "./context.ts";
import { findVerb } from "./find-verb.ts";
import { GLOBAL_OPTIONS, parseWords, refuseToken } from "./parse-words.ts";
import type { Verb } from "./verbs.ts";

/** EPIPE: the reader of our output is gone. */
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code === "EPIPE") process.exit();
  console.error(`nacre: what was to be printed is lost: ${safeText(error.message)}`);
  process.exit(1);
});

async function main(words: readonly string[]): Promise<number> {
  const [options, [name, ...rest]] = splitAtVerb(words);
  // Usage errors honour `--json` as far as it can be recognised.
  const telling: Telling = { isJson: beforeRest(words).includes("--json") };
  try {
    refuseToken(words);
    if (name === undefined && options.some((word) => word === "--version" || word === "-v")) {
      return await run(findVerb("version"), options.slice(1), telling);
    }
    if (name === undefined || (name === "help" && rest.length === 0)) return await showOverview();
    if (name === "help") return await showHelp(findVerb(rest[0] ?? ""));
    return await run(findVerb(name), [...options, ...rest], telling);
  } catch (error) {
    if (!(error instanceof NacreError)) throw error;
    tell(error, telling.isJson);
    return ERRORS[error.code].cliExitCode;
  }
}

interface Telling {
  isJson: boolean;
}

async function run(verb: Verb, words: readonly string[], telling: Telling): Promise<number> {
  const command = await verb.load();
  const parsed = parseWords(command, words);
  if (parsed.options.has("help")) return await showHelp(verb);
  using context = new Context(command, parsed);
  telling.isJson = context.isJson;
  const outcome = await command.run(context);
  print(command, outcome, context.isJson);
  await outcome.until;
  const { failure, exitCode = failure ? ERRORS[failure.code].cliExitCode : 0 } = outcome;
  return exitCode;
}

function print({ name }: Command, { result, text, failure, isPrinted }: Outcome, isJson: boolean) {
  if (isPrinted) return;
  if (isJson) {
    const error = failure && bodyOf(failure);
    const envelope = { ok: !failure, command: name, ...(error ? { error } : {}), result };
    console.log(safeJson(envelope));
    return;
  }
  if (text !== "") console.log(text);
  if (failure) tell(failure, false);
}

function tell(error: NacreError, isJson: boolean): void {
  if (isJson) console.log(safeJson({ ok: false, error: bodyOf(error) }));
  else console.error(`nacre: ${safeText(error.message)}\n  → ${safeText(error.suggestion)}`);
}

const bodyOf = ({ code, message, suggestion, field, details }: NacreError) => ({
  code,
  message,
  suggestion,
  field,
  details,
});

/** Global options may precede the verb. */
function splitAtVerb(words: readonly string[]): [readonly string[], readonly string[]] {
  let at = 0;
  for (; at < words.length && words[at]?.startsWith("-"); at++) {
    const option = GLOBAL_OPTIONS.find(({ name }) => `--${name}` === words[at]);
    if (option?.value !== undefined) at++;
  }
  return [words.slice(0, at), words.slice(at)];
}

function beforeRest(words: readonly string[]): readonly string[] {
  const end = words.indexOf("--");
  return end === -1 ? words : words.slice(0, end);
}

async function showOverview(): Promise<number> {
  const { overview } = await import("./help.ts");
  console.log(await overview());
  return 0;
}

async function showHelp(verb: Verb): Promise<number> {
  const { declare, formatHelp } = await import("./help.ts");
  console.log(formatHelp(await declare(verb)));
  return 0;
}

process.exitCode = await main(process.argv.slice(2));
