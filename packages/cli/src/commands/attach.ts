import { NacreError } from "@nacre/contracts/error";
import type { Command } from "../command.ts";
import type { Context } from "../context.ts";
import type { NamedTerminal } from "../find-terminal.ts";
import { DEFAULT_DETACH_KEYS, parseDetachKeys } from "../live/attach-keys.ts";
import { requireOther } from "../own-terminal.ts";
import { TERMINAL } from "../terminal-words.ts";

export const attachCommand: Command = {
  name: "attach",
  section: "terminals",
  summary: "Show a terminal in yours, and type into it",
  description: [
    "Ctrl-] and then a key does something: d detaches, t takes over, g gives back, ? helps, Ctrl-] again types it.",
    "Its size follows yours while you hold it. What you type goes where its input policy lets it; the last row tells when somebody else holds it.",
    "Inside a terminal it shows another one; not itself, and none in which this one is shown already.",
    "When the program ends, its exit code is that of attach, or 128 and the number of the signal that ended it.",
  ].join("\n\n"),
  arguments: [TERMINAL],
  makesHome: "create",
  options: [
    {
      name: "read-only",
      short: "r",
      description: "Only look: nothing is typed and nothing resized",
    },
    { name: "take", short: "t", description: "Take over from whoever holds it" },
    {
      name: "create",
      short: "A",
      description: "Create a terminal of this name when there is none",
    },
    {
      name: "detach-keys",
      value: "KEYS",
      description: `One key or two that detach; ${DEFAULT_DETACH_KEYS} when absent`,
    },
  ],
  examples: [
    { line: "nacre attach build", about: "until you press Ctrl-] d", kind: "keys" },
    { line: "nacre attach build --read-only", about: "only look", kind: "keys" },
    {
      line: "nacre attach -A notes",
      about: "what is called notes, new when there is none",
      kind: "keys",
    },
    {
      line: "nacre attach build --detach-keys ctrl-q",
      about: "with a key of your own",
      kind: "keys",
    },
  ],
  exitCodes: [
    ["0", "detached"],
    ["n", "the program's own exit code, when it ended; 128+n when signal n ended it"],
  ],

  async run(context) {
    const { options, isJson } = context;
    if (isJson) {
      throw new NacreError("invalid_argument", "attach: --json is not supported", {
        field: "json",
        suggestion: "Read it with `nacre screen --json` or `nacre logs --json`.",
      });
    }
    const keys = parseDetachKeys(options.text("detach-keys") ?? DEFAULT_DETACH_KEYS);
    const { attachTo } = await import("../live/attach-to.ts");
    const { requireTerminal } = await import("../live/user-terminal.ts");
    requireTerminal();
    // Inside another terminal the host has to know that what is typed there goes on to this one.
    process.title = "nacre attach";
    const { id, name } = await findOrCreate(context);
    requireOther(id, "attach");
    const isReadOnly = options.has("read-only");
    const exitCode = await attachTo(context, {
      id,
      name,
      keys,
      isReadOnly,
      takes: options.has("take"),
    });
    return { result: undefined, text: "", exitCode, isPrinted: true };
  },
};

async function findOrCreate(context: Context): Promise<NamedTerminal> {
  const word = context.args[0];
  if (!context.options.has("create") || word === undefined) return await context.terminal(word);
  try {
    const found = await context.terminal(word);
    const { state } = await context.call("readTerminal", { id: found.id });
    if (["creating", "active"].includes(state)) return found;
  } catch (error) {
    if (!(error instanceof NacreError) || error.code !== "terminal_not_found") throw error;
  }
  const { terminalSize } = await import("../live/user-terminal.ts");
  return await context.call("createTerminal", {
    name: word,
    workingDirectory: process.cwd(),
    size: terminalSize(),
  });
}
