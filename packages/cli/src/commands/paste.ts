import type { Command } from "../command.ts";
import { readStandardInput } from "../prompt.ts";
import { TERMINAL, terminalWords } from "../terminal-words.ts";

export const pasteCommand: Command = {
  name: "paste",
  section: "driving",
  summary: "Paste text into a terminal",
  description:
    "The program is told that it is a paste where it asked for that, so that an editor does not indent it and a shell does not run it line by line.",
  arguments: [
    {
      ...TERMINAL,
      description: "Id, beginning of an id, or name; a single word is text for the one you are in",
    },
    {
      name: "text",
      description: "Words to paste; standard input when there are none, or -",
      isOptional: true,
      isMany: true,
    },
  ],
  rest: {
    name: "text",
    description: "Words to paste that may begin with a dash",
    isOptional: true,
  },
  examples: [
    { line: 'nacre paste build "echo pasted"', about: "a text" },
    { line: "nacre paste build - < notes.txt", about: "a file" },
  ],

  async run(context) {
    const { call } = context;
    const { terminal, words } = terminalWords(context);
    const isInput = words.length === 0 || (words.length === 1 && words[0] === "-");
    const text = isInput ? await readStandardInput() : words.join(" ");
    const { id } = await context.terminal(terminal);
    await call("pasteText", { id, text });
    return { result: { id, bytes: Buffer.byteLength(text) }, text: "" };
  },
};
