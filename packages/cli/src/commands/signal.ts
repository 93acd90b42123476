import type { SignalTarget } from "@nacre/contracts";
import { NacreError } from "@nacre/contracts/error";
import type { Command } from "../command.ts";
import { TERMINAL, terminalWords } from "../terminal-words.ts";

export const signalCommand: Command = {
  name: "signal",
  section: "driving",
  summary: "Send a signal to what runs in a terminal",
  arguments: [
    TERMINAL,
    {
      name: "signal",
      description: "Such as INT, SIGTERM or HUP",
      isOptional: true,
      completes: ["INT", "TERM", "HUP", "QUIT", "KILL", "STOP", "CONT", "USR1", "USR2", "WINCH"],
    },
  ],
  options: [
    {
      name: "to",
      value: "WHOM",
      choices: ["foreground", "leader", "tree"],
      description: "The job in the foreground (when absent), what was launched, or all it started",
    },
  ],
  examples: [
    { line: "nacre signal build INT", about: "what Ctrl-C does" },
    { line: "nacre signal build WINCH --to tree", about: "to everything in it" },
  ],

  async run(context) {
    const { call, options } = context;
    const { terminal, words } = terminalWords(context);
    const [word] = words;
    if (word === undefined) {
      throw new NacreError("invalid_argument", "signal: <signal> is missing", { field: "signal" });
    }
    const signal = signalName(word);
    const { id } = await context.terminal(terminal);
    const target = options.text("to") as SignalTarget | undefined;
    await call("signalTerminal", { id, signal, ...(target === undefined ? {} : { target }) });
    return { result: { id, signal, target: target ?? "foreground" }, text: "" };
  },
};

/** Accepts `int`, `INT` and `SIGINT`. */
export function signalName(word: string): string {
  const name = word.toUpperCase();
  return name.startsWith("SIG") ? name : `SIG${name}`;
}
