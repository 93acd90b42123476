/** What hides separators: an escaped character, a comment, a text in quotes. In `"$(…)"` fish runs a command, which is looked at. */
const QUOTED =
  /\\[\s\S]|(?<![^\s;])#[^\n]*|'(?:[^'\\]|\\[\s\S])*'|"(?:[^"\\$]|\\[\s\S]|\$(?!\())*"/g;

/** A longer line is not looked at: nobody types one to be asked for a secret. */
const MAX_LINE_LENGTH = 16_384;

/** What separates the commands of a line. */
const SEPARATORS = /(;|\n|&&|\|\||\||&)/;

/** A command substitution without another one in it. */
const SUBSTITUTION = /\$?\(([^()]*)\)/g;

/** Deeper substitutions are not looked into: nobody types them, and each level reads the line once more. */
const MAX_DEPTH = 8;

/** Words that stand before a command and leave it what it is. */
const PREFIXES = ["and", "or", "not", "begin", "builtin", "if", "while", "else", "time"];

/** Builtins that never read what is typed. */
const READS_NOTHING = "echo printf set string test true false math end count contains status".split(
  " ",
);

/** Options of `read` that take a value. */
const WITH_VALUE = "cdnpPR";
const LONG_WITH_VALUE =
  /^--(?:command|delimiter|nchars|prompt|prompt-str|right-prompt|initial-text)$/;

/** Whether fish hides what it reads while it runs a line: `certain` when nothing else in it reads, `possible` when something might. */
export type SilentRead = "certain" | "possible";

/**
 * Looks for `read -s` in a command line of fish. fish reads any line, also that of its prompt, in the same state of the
 * terminal, so nothing but the command line tells that it hides this one.
 */
export function findSilentRead(commandLine: string): SilentRead | undefined {
  if (!commandLine.includes("read")) return undefined;
  if (commandLine.length > MAX_LINE_LENGTH) return "possible";
  const line = commandLine.replaceAll(QUOTED, replaceQuoted);
  const reads = splitLines(line).flatMap(findReads);
  if (!reads.includes("silent")) return undefined;
  // A quote that is left over: the line was not understood.
  return reads.includes("other") || /['"]/.test(line) ? "possible" : "certain";
}

function replaceQuoted(text: string): string {
  if (text.startsWith("#")) return "";
  // A line that goes on in the next one.
  return text === "\\\n" ? " " : "text";
}

/** A line and what its substitutions run, each by itself. */
function splitLines(commandLine: string): readonly string[] {
  const inner: string[] = [];
  let line = commandLine;
  for (let depth = 0; depth < MAX_DEPTH && line.includes("("); depth++) {
    line = line.replaceAll(SUBSTITUTION, (_, run: string) => {
      inner.push(run);
      return "text";
    });
  }
  return [...inner, ...line.split(/[()]/)];
}

/** What the commands of a line may read of the terminal. */
function findReads(line: string): ("silent" | "other")[] {
  const parts = line.split(SEPARATORS);
  return parts.flatMap((part, index) => {
    const command = part.trim().split(/\s+/);
    while (PREFIXES.includes(command[0] ?? "")) command.shift();
    const [name = ""] = command;
    if (index % 2 === 1 || name === "" || READS_NOTHING.includes(name)) return [];
    if (isSilentRead(command)) return ["silent"];
    // A program has the terminal to itself while it reads it, and behind a pipe it reads that; a function may do anything.
    return parts[index - 1] === "|" && name !== "read" ? [] : ["other"];
  });
}

function isSilentRead([name, ...words]: readonly string[]): boolean {
  if (name !== "read") return false;
  for (let index = 0; index < words.length; index++) {
    const word = words[index] ?? "";
    if (word === "--" || !word.startsWith("-")) return false;
    if (word === "--silent") return true;
    if (LONG_WITH_VALUE.test(word)) index++;
    if (word.startsWith("--")) continue;
    const letters = Array.from(word.slice(1));
    const valueAt = letters.findIndex((letter) => WITH_VALUE.includes(letter));
    if (letters.slice(0, valueAt === -1 ? undefined : valueAt).includes("s")) return true;
    if (valueAt === letters.length - 1) index++;
  }
  return false;
}
