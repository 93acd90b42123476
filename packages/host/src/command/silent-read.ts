/** A quoted text in which fish expands nothing. */
const QUOTED = /'[^'\\]*'|"[^"\\$]*"/g;

/** Words without characters that make fish expand, redirect or execute. */
const PLAIN_WORDS = /^[\w@%+=:,./\s-]*$/;

const SEPARATORS = /[;\n]|&&|\|\|/;

/** Builtins that never read stdin. */
const READS_NOTHING = ["echo", "printf", "set", "string", "test", "true", "false"];

/** Options of `read` that take a value. */
const WITH_VALUE = "cdnpPR";
const LONG_WITH_VALUE =
  /^--(?:command|delimiter|nchars|prompt|prompt-str|right-prompt|initial-text)$/;

/**
 * Whether `read -s` is the only reader in a fish command line. fish reads every line, also at its prompt, in the same
 * termios state, so only the command line reveals that this one is hidden.
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
