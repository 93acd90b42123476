/** Options of shells that are followed by a word of their own. */
const WITH_VALUE = /^(?:--rcfile|--init-file|--init-command|[-+][oO]|-C)$/;

/** A line to run stands among the words; options of one letter may be joined. */
const WITH_LINE = /^(?:-[a-zA-Z]{0,3}c[a-zA-Z]{0,3}|--command(?:=.*)?)$/;

/** Lines are read, whatever else is said. */
const READS_LINES = /^(?:-[a-zA-Z]{0,3}[is][a-zA-Z]{0,3}|--interactive)$/;

/** Tells by the words that a shell was started with whether it runs a script or a line of its own, and so never shows a prompt. */
export function runsScript(words: readonly string[]): boolean {
  for (let index = 1; index < words.length; index++) {
    const word = words[index] ?? "";
    if (WITH_LINE.test(word)) return true;
    if (READS_LINES.test(word)) return false;
    if (WITH_VALUE.test(word)) index++;
    else if (!/^[-+]/.test(word)) return word !== "";
  }
  return false;
}
