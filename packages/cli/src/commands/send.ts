import type { WaitCondition } from "@nacre/contracts";
import type { Command } from "../command.ts";
import { readText } from "../prompt.ts";
import { terminalWords } from "../terminal-words.ts";
import { readLastSequence, waitOutcome, waitUntil } from "../wait-until.ts";

const DEFAULT_TIMEOUT_MS = 30_000;

const UNTIL: WaitCondition[] = [{ kind: "commandEnd" }, { kind: "inputNeeded" }];

export const sendCommand: Command = {
  name: "send",
  section: "driving",
  summary: "Type text into a terminal, as it is",
  description:
    "Nothing in the text is a key: `nacre keys` presses keys and `nacre paste` pastes. Everybody on the machine can read the arguments of a program, so a secret is typed with `nacre answer`, or comes from standard input with `-`.",
  arguments: [
    {
      name: "terminal",
      description: "Id, beginning of an id, or name; a single word is text for the one you are in",
      isOptional: true,
      completes: "terminals",
    },
    {
      name: "text",
      description: "Words to type, with blanks between them; - reads standard input",
      isOptional: true,
      isMany: true,
    },
  ],
  rest: { name: "text", description: "Words to type that may begin with a dash", isOptional: true },
  options: [
    { name: "enter", short: "e", description: "Press Enter behind it" },
    { name: "wait", short: "w", description: "Wait until a command has ended, or asks for input" },
    { name: "timeout", value: "TIME", description: "How long to wait at most; 30s when absent" },
  ],
  examples: [
    { line: 'nacre send build "make test" --enter', about: "a line, with Enter" },
    { line: "nacre send build --enter --wait -- ls -l", about: "and wait until it has ended" },
    { line: "printf 'y\\n' | nacre send build -", about: "what a program writes" },
  ],
  exitCodes: [["11", "with --wait: the command did not end in time"]],

  async run(context) {
    const { call, options } = context;
    const { terminal, words } = terminalWords(context);
    const text = await readText(words);
    const data = options.has("enter") ? `${text}\r` : text;
    const { id } = await context.terminal(terminal);
    if (!options.has("wait")) {
      await call("sendInput", { id, data });
      return { result: { id, bytes: Buffer.byteLength(data) }, text: "" };
    }
    const after = await readLastSequence(id, call);
    await call("sendInput", { id, data });
    const timeoutMs = options.durationMs("timeout") ?? DEFAULT_TIMEOUT_MS;
    return waitOutcome(await waitUntil({ id, until: UNTIL, after, timeoutMs }, call), UNTIL);
  },
};
