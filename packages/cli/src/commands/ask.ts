import { safeText } from "@nacre/client/ui";
import type { OperationInput, RequestInputResult, TerminalId } from "@nacre/contracts";
import { NacreError } from "@nacre/contracts/error";
import type { Command, Outcome } from "../command.ts";
import type { Context } from "../context.ts";
import { TERMINAL, terminalWords } from "../terminal-words.ts";

/** One call waits at most this long; then it is repeated. */
const ROUND_MS = 60_000;

export const askCommand: Command = {
  name: "ask",
  section: "sharing",
  summary: "Ask people something: for an answer, or to type into a program",
  description:
    "The answer is printed. With --type it is typed into the program that reads it, and not printed; a secret is always typed. The question stands in `nacre inbox` and on the page until it is answered or declined, also when you stop waiting or the daemon is restarted; --request waits for it again.",
  arguments: [
    TERMINAL,
    { name: "question", description: "What is asked, in a line", isOptional: true, isMany: true },
  ],
  options: [
    {
      name: "request",
      value: "ID",
      description:
        "Ask nothing: wait for the answer to this earlier question, by the beginning of its id",
    },
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
    {
      line: "nacre ask build --request 5d1e9f2c",
      about: "wait again for what was asked before",
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
    const asked = await (context.options.has("request") ? earlier(context) : ask(context));
    const result = await answered(asked, context);
    return { result, ...wordsOf(result) };
  },
};

interface Asked {
  readonly id: TerminalId;
  readonly requestId: string;
}

async function ask(context: Context): Promise<Asked> {
  const { call, options } = context;
  const { terminal, words } = terminalWords(context);
  if (words.length === 0) {
    throw new NacreError("invalid_argument", "ask: <question> is missing", {
      field: "question",
      suggestion: "`nacre ask --help` shows how; `--request` waits for an earlier question.",
    });
  }
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
  const { request } = await call("requestInput", question);
  return { id, requestId: request.requestId };
}

/** Options of a new question. */
const ASKING = ["choice", "type", "secret", "expires"];

/** A question that was asked before, by its id or the beginning of it; the host finds which. */
async function earlier({ args, rest = [], options, terminal }: Context): Promise<Asked> {
  const more = [...args.slice(1), ...rest, ...ASKING.filter((name) => options.has(name))];
  if (more.length > 0) {
    throw new NacreError(
      "invalid_argument",
      `--request waits for an earlier question and excludes ${more[0]}`,
      {
        field: "request",
        suggestion: "Leave out either the question or `--request`.",
      },
    );
  }
  const { id } = await terminal(args[0]);
  return { id, requestId: options.text("request") ?? "" };
}

/** Waits until it is settled or the time is over, also across restarts of the daemon. */
async function answered(
  { id, requestId: named }: Asked,
  { callAgain, options }: Context,
): Promise<RequestInputResult> {
  const until = performance.now() + (options.durationMs("timeout") ?? Number.POSITIVE_INFINITY);
  for (let requestId = named; ;) {
    const timeoutMs = Math.max(0, Math.ceil(Math.min(ROUND_MS, until - performance.now())));
    const result = await callAgain("readInputRequest", { id, requestId, timeoutMs });
    // What is asked meanwhile may begin alike.
    ({ requestId } = result.request);
    if (result.outcome !== "pending" || performance.now() >= until) return result;
  }
}

function wordsOf({
  outcome,
  request,
  nobodyReads,
  text,
  by,
  note,
}: RequestInputResult): Omit<Outcome, "result"> {
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
        new NacreError(
          "timeout",
          nobodyReads ? "no program reads what is asked for yet" : "nobody has answered yet",
          {
            suggestion: `The question still stands; \`nacre inbox\` shows it, \`--request ${request.requestId}\` waits for it again.`,
          },
        ),
      );
    case "expired":
      return failed(new NacreError("timeout", "nobody answered before the question lapsed"));
  }
}

const failed = (failure: NacreError): Omit<Outcome, "result"> => ({ text: "", failure });
