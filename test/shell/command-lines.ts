// Command lines of many kinds, each with what it must write and the exit code it must have.

/** The shells whose commands are exact. */
export const EXACT_SHELLS = ["bash", "zsh", "fish"] as const;
export type ExactShell = (typeof EXACT_SHELLS)[number];

/** A command line and what must come of it. */
export interface ExpectedCommand {
  readonly line: string;
  /** As the terminal shows it, with a carriage return before each line feed. */
  readonly output: string;
  readonly exitCode: number;
}

const WORDS = [
  "plain",
  "two words",
  "semi;colon",
  'double"quote',
  "back\\slash",
  "$dollar",
  "`tick`",
];
const MORE = [
  "äöü",
  "日本語",
  "emoji 😀",
  "tab\there",
  "hash #x",
  "star *",
  "pipe | it",
  "new\nline",
];

/** In single quotes, where nothing but the quote itself is special to bash and zsh, and fish also takes a backslash. */
function quoted(text: string, shell: ExactShell): string {
  if (shell !== "fish") return `'${text.replaceAll("'", String.raw`'\''`)}'`;
  return `'${text.replaceAll("\\", "\\\\").replaceAll("'", String.raw`\'`)}'`;
}

const shown = (text: string): string => `${text}\n`.replaceAll("\n", "\r\n");

type Kind = (shell: ExactShell, random: () => number, index: number) => ExpectedCommand;

const pick = <Item>(items: readonly [Item, ...Item[]], random: () => number): Item =>
  items[Math.floor(random() * items.length)] ?? items[0];

/** fish leaves tabs out of what is pasted. */
const textOf = (shell: ExactShell, random: () => number, index: number): string => {
  const all = [...WORDS, ...MORE].filter((word) => shell !== "fish" || !word.includes("\t"));
  return `${pick(["a", ...all], random)} ${index} ${pick(["b", ...all], random)}`;
};

const KINDS: readonly [Kind, ...Kind[]] = [
  // A word that the shell must get exactly.
  (shell, random, index) => {
    const text = textOf(shell, random, index);
    const line = `printf '%s\\n' ${quoted(text, shell)}`;
    return { line, output: shown(text), exitCode: 0 };
  },
  () => ({ line: "echo hi", output: "hi\r\n", exitCode: 0 }),
  () => ({ line: "false", output: "", exitCode: 1 }),
  (_shell, random) => {
    const exitCode = Math.floor(random() * 256);
    return { line: `sh -c 'exit ${exitCode}'`, output: "", exitCode };
  },
  (_shell, _random, index) => ({
    line: `echo one; echo ${index}; sh -c 'exit 7'`,
    output: `one\r\n${index}\r\n`,
    exitCode: 7,
  }),
  (shell, _random, index) => ({
    line:
      shell === "fish"
        ? `for i in 1 2 3\n  echo $i ${index}\nend`
        : `for i in 1 2 3\ndo\n  echo $i ${index}\ndone`,
    output: `1 ${index}\r\n2 ${index}\r\n3 ${index}\r\n`,
    exitCode: 0,
  }),
  (shell, random, index) => {
    const text = textOf(shell, random, index).replaceAll("\n", " ");
    if (shell === "fish") {
      return { line: `begin; echo ${quoted(text, shell)}; end`, output: shown(text), exitCode: 0 };
    }
    return { line: `cat <<'END'\n${text}\nEND`, output: shown(text), exitCode: 0 };
  },
  // zsh takes no remarks at its prompt.
  (shell, _random, index) => ({
    line: `echo ${index} | cat ${shell === "zsh" ? "" : "  # a remark; with 'quotes'"}`,
    output: `${index}\r\n`,
    exitCode: 0,
  }),
  // No line end at the end of the output.
  (_shell, _random, index) => ({ line: `printf ${index}`, output: String(index), exitCode: 0 }),
  (_shell, _random, index) => ({
    line: `echo to stderr ${index} >&2`,
    output: `to stderr ${index}\r\n`,
    exitCode: 0,
  }),
  (_shell, _random, index) => ({
    line: `seq 1 500; echo ${index}`,
    output: shown([...Array.from({ length: 500 }, (_, at) => at + 1), index].join("\n")),
    exitCode: 0,
  }),
];

/** As many command lines as asked for, the same for the same numbers. */
export function commandLines(
  shell: ExactShell,
  count: number,
  random: () => number,
): ExpectedCommand[] {
  return Array.from({ length: count }, (_, index) => pick(KINDS, random)(shell, random, index));
}
