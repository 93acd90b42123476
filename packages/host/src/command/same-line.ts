/** Which of the lines that were typed make one command line. */
export interface LineRange {
  readonly first: number;
  readonly last: number;
}

/** A line as it is compared: a shell's history joins lines with `;` and drops what it does not need. */
const looseForm = (text: string): string =>
  text.replaceAll(/\\\r?\n/g, "").replaceAll(/[\s;]+/g, "");

const isComment = (line: string): boolean => line.trimStart().startsWith("#");

/** True when the next line belongs to this one: it ends in a backslash that is not itself escaped. */
function isContinued(line: string): boolean {
  let backslashes = 0;
  while (line.at(-1 - backslashes) === "\\") backslashes++;
  return backslashes % 2 === 1;
}

/**
 * Finds the lines, beginning at `start`, that a shell reports as one command line; the fewest that do.
 * Differences in white space, `;` and line breaks do not count, nor do lines that are only a comment.
 */
export function findSameLines(
  lines: readonly string[],
  reported: string,
  start = 0,
): LineRange | undefined {
  const wanted = looseForm(reported);
  if (wanted === "") return undefined;
  let first: number | undefined;
  let matched = 0;
  for (let index = start; index < lines.length; index++) {
    const line = lines[index] ?? "";
    const loose = looseForm(`${line}\n`);
    if (first === undefined && loose === "") continue;
    if (!wanted.startsWith(loose, matched)) {
      if (first !== undefined && isComment(line)) continue;
      return undefined;
    }
    first ??= index;
    matched += loose.length;
    const needsMore = isContinued(line) && index + 1 < lines.length;
    if (matched === wanted.length && !needsMore) return { first, last: index };
  }
  return undefined;
}

/** True when a shell that was given `line` may report it as `reported`. */
export function isSameLine(line: string, reported: string): boolean {
  const lines = line.split("\n");
  const found = findSameLines(lines, reported);
  return found !== undefined && lines.slice(found.last + 1).every((rest) => rest.trim() === "");
}
