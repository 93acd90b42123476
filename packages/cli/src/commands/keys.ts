import { setTimeout as sleep } from "node:timers/promises";
import { NacreError } from "@nacre/contracts/error";
import type { Command } from "../command.ts";
import { TERMINAL, terminalWords } from "../terminal-words.ts";

export const keysCommand: Command = {
  name: "keys",
  section: "driving",
  summary: "Press keys in a terminal, by their names",
  description:
    "Names are those of tmux and of keyboards: Enter, Tab, Escape, Space, BSpace, Up, PageDown, F5; C-c, ^c or Ctrl+C; M-x or Alt+x; S-Tab. A single character is itself. What is no key is refused: text is sent with `nacre send`.",
  arguments: [
    { ...TERMINAL, description: `${TERMINAL.description}, with -- before the keys` },
    {
      name: "key",
      description: "Keys to press one after the other",
      isOptional: true,
      isMany: true,
    },
  ],
  rest: { name: "key", description: "Keys, where no terminal is named", isOptional: true },
  options: [{ name: "delay", value: "TIME", description: "Time between two keys" }],
  examples: [
    { line: "nacre keys build C-c", about: "interrupt what runs" },
    { line: "nacre keys build Up Enter", about: "the last line once more" },
    { line: "nacre keys build --delay 50ms C-l Enter", about: "with time to draw between them" },
  ],

  async run(context) {
    const { call, options } = context;
    const { terminal, words } = terminalWords(context);
    if (words.length === 0) {
      throw new NacreError("invalid_argument", "keys: no keys given", { field: "key" });
    }
    const { id } = await context.terminal(terminal);
    const delayMs = options.durationMs("delay");
    if (delayMs === undefined) await call("sendInput", { id, keys: [...words] });
    else {
      for (const [at, key] of words.entries()) {
        if (at > 0) await sleep(delayMs);
        await call("sendInput", { id, keys: [key] });
      }
    }
    return { result: { id, keys: words }, text: "" };
  },
};
