import { NacreError } from "@nacre/contracts/error";
import type { Command } from "../command.ts";
import { parseSize } from "../sizes.ts";
import { TERMINAL, terminalWords } from "../terminal-words.ts";

export const resizeCommand: Command = {
  name: "resize",
  section: "driving",
  summary: "Give a terminal a size",
  description: "The size follows who drives it, so what comes back is what it really has.",
  arguments: [TERMINAL, { name: "size", description: "Such as 120x40", isOptional: true }],
  examples: [{ line: "nacre resize build 120x40", about: "120 columns, 40 rows" }],

  async run(context) {
    const { terminal, words } = terminalWords(context);
    const [size] = words;
    if (size === undefined) {
      throw new NacreError("invalid_argument", "resize: <size> is missing", { field: "size" });
    }
    const wanted = parseSize(size, "size");
    const { id } = await context.terminal(terminal);
    const { cols, rows } = await context.call("resizeTerminal", { id, ...wanted });
    return { result: { id, cols, rows }, text: context.isQuiet ? "" : `${cols}x${rows}` };
  },
};
