/** A text in quotes in which fish expands nothing. */
const QUOTED = /'[^'\\]*'|"[^"\\$]*"/g;

/** Words without any character that makes fish expand, redirect or run something. */
const PLAIN_WORDS = /^[\w@%+=:,./\s-]*$/;

/** What separates the commands of a line. */
const SEPARATORS = /[;\n]|&&|\|\|/;

/** Builtins that never read what is typed. */
const READS_NOTHING = ["echo", "printf", "set", "string", "test", "true", "false"];

/** Options of `read` that are followed by a value. */
const WITH_VALUE = "cdnpPR";
const LONG_WITH_VALUE =
  /^--(?:command|delimiter|nchars|prompt|prompt-str|right-prompt|initial-text)$/;

/**
 * Whether nothing in a command line of fish reads what is typed but `read -s`. fish reads any line, also that of its
 * prompt, in the same state of the terminal, so nothing but the command line tells that it hides this one.
 */
export function readsSilently(commandLine: string): boolean {
  const line = commandLine.replaceAll(QUOTED, "text");
  const commands = line.split(SEPARATORS).filter((command) => command.trim() !== "");
  if (!commands.every((command) => PLAIN_WORDS.test(command))) return false;
  const readers = commands
    .map((command) => command.trim().split(/\s+/))
    .filter(([name = ""]) => !READS_NOTHING.includes(name));
  return readers.length > 0 && readers.every(isSilentRead);
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
