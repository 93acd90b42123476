import type { Argument } from "./command.ts";
import type { Context } from "./context.ts";

export const TERMINAL: Argument = {
  name: "terminal",
  description: "Id, beginning of an id, or name; the one in which this runs when left out",
  isOptional: true,
  completes: "terminals",
};

export interface TerminalWords {
  readonly terminal: string | undefined;
  readonly words: readonly string[];
}

/** One word alone is for the terminal in which this runs; words after `--` never name one. */
export function terminalWords({ args, rest }: Pick<Context, "args" | "rest">): TerminalWords {
  if (rest !== undefined) return { terminal: args[0], words: [...args.slice(1), ...rest] };
  const [terminal, ...words] = args;
  return words.length === 0 ? { terminal: undefined, words: args } : { terminal, words };
}
