import type { InputNeeded, InputRequest, TerminalData } from "@nacre/contracts";
import { NacreError } from "@nacre/contracts/error";
import type { Command, Outcome } from "../command.ts";
import type { Context } from "../context.ts";
import { holderOf } from "../describe.ts";
import type { NamedTerminal } from "../find-terminal.ts";
import { allNeeds } from "../needs.ts";
import { safeText } from "../print.ts";
import { askLine, askSecret } from "../prompt.ts";
import { textOf } from "../read-input.ts";
import { TERMINAL } from "../terminal-words.ts";

/** Answers what a program or an agent asks. */
export const answerCommand: Command = {
  name: "answer",
  section: "sharing",
  summary: "Answer an agent or a program that asks, or somebody who asks for control",
  description:
    "A secret is asked for without showing it, or read from standard input with -, and never taken from the arguments, which everybody on the machine can read; it is not recorded, and who asked is not told. Without a terminal the only one that asks is meant.",
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
    const [request] = terminal.inputRequests ?? [];
    if (request) return await answerRequest(terminal, { request, words }, context);
    const { inputNeeded } = terminal;
    if (inputNeeded) return await answerProgram(terminal, { inputNeeded, words }, context);
    throw new NacreError("conflict", `${id} asks for nothing`, {
      suggestion: "`nacre send` types into it anyway; `nacre inbox` lists what asks.",
    });
  },
};

async function theOnlyOne({ call, terminal }: Context): Promise<NamedTerminal> {
  if (process.env["NACRE_TERMINAL_ID"]) return await terminal(undefined);
  const asking = (await allNeeds(call)).filter(({ kind }) => kind !== "failed");
  const [only, ...others] = new Set(asking.map(({ terminal: { id } }) => id));
  if (only !== undefined && others.length === 0) return { id: only };
  throw new NacreError(
    only === undefined ? "conflict" : "invalid_argument",
    only === undefined ? "nothing asks" : "more than one terminal asks",
    { field: "terminal", suggestion: "`nacre inbox` lists what asks; name one of them." },
  );
}

/** Somebody asked in words; the host types the answer where it belongs. */
async function answerRequest(
  { id }: TerminalData,
  { request, words }: { readonly request: InputRequest; readonly words: readonly string[] },
  { call, options }: Context,
): Promise<Outcome> {
  const { requestId, prompt, secret } = request;
  const note = options.text("note");
  const text = options.has("decline")
    ? undefined
    : await answerOf({ words, isSecret: secret, question: prompt });
  const result = await call("answerInput", {
    id,
    requestId,
    ...(text === undefined ? {} : { text }),
    ...(note === undefined ? {} : { note }),
  });
  return { result, text: "" };
}

/** Nobody asked but the program, at the line where it waits. */
async function answerProgram(
  { id }: TerminalData,
  { inputNeeded, words }: { readonly inputNeeded: InputNeeded; readonly words: readonly string[] },
  { call }: Context,
): Promise<Outcome> {
  const { kind } = inputNeeded;
  const screen = await call("readScreen", { id });
  const line = screen.text.split("\n")[screen.cursor.row]?.trim();
  const text = await answerOf({
    words,
    isSecret: kind === "secret",
    question: line || "Answer:",
  });
  if (kind === "secret") await requireSecretPrompt(id, call);
  // A program that waits for one key gets no Enter behind it.
  await call("sendInput", { id, data: kind === "key" && text !== "" ? text : `${text}\r` });
  return { result: { id, kind }, text: "" };
}

interface Question {
  readonly words: readonly string[];
  readonly isSecret: boolean;
  readonly question: string;
}

/** What was given, or what a person types now, without the end of its line. */
async function answerOf({ words, isSecret, question }: Question): Promise<string> {
  if (isSecret && words.length > 0 && words.join(" ") !== "-") {
    throw new NacreError("invalid_argument", "a secret in the arguments can be read by everybody", {
      field: "text",
      suggestion: "Leave it out to be asked for it, or give it on standard input with `-`.",
    });
  }
  const ask = isSecret ? askSecret : askLine;
  const text = words.length > 0 ? await textOf(words) : await ask(`${safeText(question)} `);
  return text.replace(/\r?\n$/, "");
}

/** Somebody took time to type: what is typed now must not be shown by another program. */
async function requireSecretPrompt(id: TerminalData["id"], call: Context["call"]): Promise<void> {
  const { inputNeeded } = await call("readTerminal", { id });
  if (inputNeeded?.kind === "secret") return;
  throw new NacreError("conflict", `${id} does not ask for a secret any more`, {
    suggestion: "Nothing was typed. Look with `nacre screen`.",
  });
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
  return { result, text: isQuiet ? "" : `Held by ${safeText(holderOf(result.claim))}.` };
}
