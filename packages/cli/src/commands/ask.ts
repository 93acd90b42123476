import type { OperationInput, RequestInputResult, TerminalId } from "@nacre/contracts";
import { NacreError } from "@nacre/contracts/error";
import type { Command, Outcome } from "../command.ts";
import type { Context } from "../context.ts";
import { safeText } from "../print.ts";
import { TERMINAL, terminalWords } from "../terminal-words.ts";

/** One call waits for at most this long; asking again goes on with it. */
const ROUND_MS = 60_000;

/** Asks people something about a terminal. */
export const askCommand: Command = {
  name: "ask",
  section: "sharing",
  summary: "Ask people something: for an answer, or to type into a program",
  description:
    "The answer is printed. With --type it is typed into the program that reads it, and not printed; a secret is always typed. The question stands in `nacre inbox` and on the page until it is answered or declined, also when you stop waiting.",
  arguments: [
    TERMINAL,
    { name: "question", description: "What is asked, in a line", isMany: true },
  ],
  options: [
    { name: "choice", value: "VALUE", isMany: true, description: "One of the answers there are" },
    { name: "type", description: "Have the answer typed into the program" },
    { name: "secret", description: "Have a secret typed into the program" },
    { name: "expires", value: "TIME", description: "Lapse after so long; never when absent" },
    { name: "timeout", value: "TIME", description: "Wait at most so long; for ever when absent" },
  ],
  examples: [
    {
      line: "nacre ask build 'Deploy?' --choice yes --choice no",
      about: "a decision, printed when it is made",
      kind: "keys",
    },
    { line: "nacre ask build Password? --secret", about: "typed, not told", kind: "keys" },
  ],
  exitCodes: [
    ["1", "somebody declined, or the question was withdrawn"],
    ["4", "the program ended before"],
    ["11", "nobody answered in time"],
  ],

  async run(context) {
    const { call, options } = context;
    const { terminal, words } = terminalWords(context);
    const { id } = await context.terminal(terminal);
    const choices = options.many("choice").map((value) => ({ value }));
    const expiresInMs = options.durationMs("expires");
    const isTyped = options.has("type") || options.has("secret");
    const question: OperationInput<"requestInput"> = {
      id,
      prompt: words.join(" "),
      kind: isTyped ? "type" : "answer",
      ...(options.has("secret") ? { secret: true } : {}),
      ...(choices.length === 0 ? {} : { choices }),
      ...(expiresInMs === undefined ? {} : { expiresInMs }),
    };
    const asked = await call("requestInput", question);
    const result = await answered(id, asked, context);
    return { result, ...wordsOf(result) };
  },
};

/** Waits until the question is not open any more, or for as long as was said. */
async function answered(
  id: TerminalId,
  asked: RequestInputResult,
  { call, options }: Context,
): Promise<RequestInputResult> {
  const until = performance.now() + (options.durationMs("timeout") ?? Number.POSITIVE_INFINITY);
  const { requestId } = asked.request;
  let result = asked;
  while (result.outcome === "pending") {
    const timeoutMs = Math.ceil(Math.min(ROUND_MS, until - performance.now()));
    if (timeoutMs <= 0) break;
    result = await call("readInputRequest", { id, requestId, timeoutMs });
  }
  return result;
}

function wordsOf({ outcome, text, by, note }: RequestInputResult): Omit<Outcome, "result"> {
  switch (outcome) {
    case "answered":
      return { text: text === undefined ? "" : safeText(text) };
    case "declined":
    case "withdrawn": {
      const why = note === undefined ? "" : `: ${safeText(note)}`;
      return { text: `${outcome} by ${safeText(by ?? "")}${why}`, exitCode: 1 };
    }
    case "closed":
      return failed(
        new NacreError("terminal_exited", "the program ended before somebody answered"),
      );
    case "pending":
      return failed(
        new NacreError("timeout", "nobody has answered yet", {
          suggestion: "The question still stands; `nacre inbox` shows it.",
        }),
      );
    case "expired":
      return failed(new NacreError("timeout", "nobody answered before the question lapsed"));
  }
}

const failed = (failure: NacreError): Omit<Outcome, "result"> => ({ text: "", failure });
