import { isAnswerRead, type Need, safeText } from "@nacre/client/ui";
import type { InputNeeded, InputRequest, TerminalData } from "@nacre/contracts";
import { NacreError } from "@nacre/contracts/error";
import type { Command, Outcome } from "../command.ts";
import type { Context } from "../context.ts";
import { holderText } from "../describe.ts";
import { type NamedTerminal, shortIds } from "../find-terminal.ts";
import { askLine, askSecret, readText } from "../prompt.ts";
import { TERMINAL } from "../terminal-words.ts";
import { allNeeds } from "./inbox.ts";

export const answerCommand: Command = {
  name: "answer",
  section: "sharing",
  summary: "Answer an agent or a program that asks, or somebody who asks for control",
  description:
    "Says first whether the answer is told to who asks or typed into the program. A secret is asked for without showing it, or read from standard input with -, which is refused where no program is known to ask for one, and never taken from the arguments, which everybody on the machine can read; it is not recorded, and who asked is not told. Where a shell would run or show the answer, nothing is typed. Without a terminal the only one that asks is meant; of several questions --request says which.",
  arguments: [
    {
      ...TERMINAL,
      description: "Id, beginning of an id, or name; the only one that asks when left out",
    },
    {
      name: "text",
      description: "The answer; asked for when left out, - reads standard input",
      isOptional: true,
      isMany: true,
    },
  ],
  rest: { name: "text", description: "An answer that begins with a dash", isOptional: true },
  options: [
    { name: "request", value: "ID", description: "Which question, by the beginning of its id" },
    { name: "decline", description: "Tell who asks that there will be no answer" },
    { name: "grant", description: "Give control to who asks for it" },
    { name: "deny", description: "Keep control" },
    { name: "note", value: "TEXT", description: "A few words for who asks" },
  ],
  examples: [
    { line: "nacre answer", about: "asks you for what is asked for", kind: "keys" },
    { line: "nacre answer question yes", about: "a line" },
    { line: "printf hunter2 | nacre answer secret -", about: "a secret that a program knows" },
    { line: "nacre answer build --grant", about: "let who asks have control", kind: "keys" },
  ],

  async run(context) {
    const { args, rest = [], call, options } = context;
    const words = [...args.slice(1), ...rest];
    const named = args[0];
    const { id } = named === undefined ? await theOnlyOne(context) : await context.terminal(named);
    const terminal = await call("readTerminal", { id });
    if (options.has("grant") || options.has("deny")) return await answerControl(terminal, context);
    const request = requestIn(terminal, options.text("request"));
    if (request) return await answerRequest(terminal, { request, words }, context);
    const { inputNeeded } = terminal;
    if (inputNeeded) return await answerProgram(terminal, { inputNeeded, words }, context);
    throw new NacreError("conflict", `${id} asks for nothing`, {
      suggestion: "`nacre send` types into it anyway; `nacre inbox` lists what asks.",
    });
  },
};

/** The named question, or the only one; undefined when there is none. */
function requestIn({ id, inputRequests = [] }: TerminalData, named: string | undefined) {
  const meant = inputRequests.filter(({ requestId }) => requestId.startsWith(named ?? ""));
  if (meant.length > 1) throw ambiguous(id, meant);
  const [request] = meant;
  if (request || named === undefined) return request;
  throw new NacreError("conflict", `${id} has no open question ${named}`, {
    field: "request",
    suggestion: "`nacre inbox --json` lists the open questions.",
  });
}

function ambiguous(id: string, requests: readonly InputRequest[]): NacreError {
  const ids = requests.map(({ requestId }) => requestId);
  const shorten = shortIds(ids);
  const listed = requests.map(({ requestId, prompt }) => `${shorten(requestId)} (${prompt})`);
  return new NacreError("invalid_argument", `${id} has several questions: ${listed.join(", ")}`, {
    field: "request",
    suggestion: "Nothing was answered. Name one with `--request` and the beginning of its id.",
    details: { candidates: ids },
  });
}

async function theOnlyOne({ call, terminal }: Context): Promise<NamedTerminal> {
  if (process.env["NACRE_TERMINAL_ID"]) return await terminal(undefined);
  const asking = (await allNeeds(call)).filter(canBeAnswered);
  const [only, ...others] = new Set(asking.map(({ terminal: { id } }) => id));
  if (only !== undefined && others.length === 0) return { id: only };
  throw new NacreError(
    only === undefined ? "conflict" : "invalid_argument",
    only === undefined ? "no terminal asks for input" : "more than one terminal asks for input",
    { field: "terminal", suggestion: "`nacre inbox` lists what asks; name one of them." },
  );
}

function canBeAnswered(need: Need): boolean {
  switch (need.kind) {
    case "question":
    case "control":
      return true;
    case "input":
      return need.input.kind !== "continuation";
    case "lapsed":
    case "blocked":
    case "failed":
      return false;
  }
}

/** The host passes the answer on, or types it where it belongs. */
async function answerRequest(
  terminal: TerminalData,
  { request, words }: { readonly request: InputRequest; readonly words: readonly string[] },
  { call, options, isQuiet }: Context,
): Promise<Outcome> {
  const { requestId, secret, by, prompt } = request;
  const { id } = terminal;
  const note = options.text("note");
  const text = options.has("decline")
    ? undefined
    : await answerOf({ words, isSecret: secret, question: questionOf(terminal, request) });
  const result = await call("answerInput", {
    id,
    requestId,
    ...(text === undefined ? {} : { text }),
    ...(note === undefined ? {} : { note }),
  });
  const verb = result.outcome === "declined" ? "Declined" : "Answered";
  return { result, text: isQuiet ? "" : safeText(`${verb} ${by}: ${prompt}`) };
}

/** Only the program asks, at the line where it waits. */
async function answerProgram(
  { id }: TerminalData,
  { inputNeeded, words }: { readonly inputNeeded: InputNeeded; readonly words: readonly string[] },
  { call, isQuiet }: Context,
): Promise<Outcome> {
  const { kind } = inputNeeded;
  if (kind === "continuation") throw wouldContinue(id);
  if (kind !== "secret" && words.join(" ") === "-") throw noSecretAsked(id);
  const screen = await call("readScreen", { id });
  const line = screen.text.split("\n")[screen.cursor.row]?.trim();
  const text = await answerOf({
    words,
    isSecret: kind === "secret",
    question: line || "Answer:",
  });
  // A program that waits for one key gets no Enter.
  const data = kind === "key" && text !== "" ? text : `${text}\r`;
  // Typing took time: another program, or the shell, must not get it instead.
  await call("sendInput", { id, data, expects: kind });
  const where = line ? `: ${safeText(line)}` : ".";
  return { result: { id, kind }, text: isQuiet ? "" : `Typed into the program${where}` };
}

/** Standard input is how secrets are given, and a line that is no secret is recorded. */
const noSecretAsked = (id: string): NacreError =>
  new NacreError("conflict", `no program in ${id} is known to ask for a secret`, {
    field: "text",
    suggestion:
      "Nothing was typed: what is read from standard input is taken for a secret. A line that may be seen and recorded is an argument, as in `nacre answer TERMINAL yes`.",
  });

const wouldContinue = (id: string): NacreError =>
  new NacreError("conflict", `a shell waits for the rest of a command line in ${id}`, {
    suggestion:
      "Nothing was typed: the shell would run the answer. `nacre send` types into the line; `nacre keys … C-c` cancels it.",
  });

interface Question {
  readonly words: readonly string[];
  readonly isSecret: boolean;
  readonly question: string;
}

/** Given, or typed now; without the line end. */
async function answerOf({ words, isSecret, question }: Question): Promise<string> {
  if (isSecret && words.length > 0 && words.join(" ") !== "-") {
    throw new NacreError(
      "invalid_argument",
      "a secret in the arguments is visible to other users",
      {
        field: "text",
        suggestion: "Leave it out to be asked for it, or give it on standard input with `-`.",
      },
    );
  }
  const ask = isSecret ? askSecret : askLine;
  const text = words.length > 0 ? await readText(words) : await ask(`${safeText(question)} `);
  return text.replace(/\r?\n$/, "");
}

function questionOf(terminal: TerminalData, request: InputRequest): string {
  const { kind, by, prompt, choices } = request;
  const offered = choices ? ` [${choices.map(({ value }) => value).join("/")}]` : "";
  const typed = `typed into the program${isAnswerRead(terminal, request) ? "" : ", which reads nothing yet"}`;
  const fate = kind === "type" ? typed : `goes to ${by}`;
  return `${prompt}${offered} (${fate})`;
}

async function answerControl(terminal: TerminalData, context: Context): Promise<Outcome> {
  const { call, options, isQuiet } = context;
  const { id, controlRequests = [] } = terminal;
  const [request] = controlRequests;
  if (!request) throw new NacreError("conflict", `nobody asks for control of ${id}`);
  const note = options.text("note");
  const result = await call("answerControl", {
    id,
    requestId: request.requestId,
    grant: options.has("grant"),
    ...(note === undefined ? {} : { note }),
  });
  return { result, text: isQuiet ? "" : `Held by ${safeText(holderText(result.claim))}.` };
}
