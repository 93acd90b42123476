import type { MatchRange } from "./matcher.ts";

/** A hit shows this much of a line: enough for any real one, little enough for a page of hits. */
const MAX_EXCERPT_LENGTH = 1000;

/** How much stands before the first match in an excerpt. */
const LEAD_LENGTH = 200;

/** The part of a line around its first match, with the places in it. */
export function cutExcerpt(
  line: string,
  ranges: readonly MatchRange[],
): { readonly line: string; readonly matches: MatchRange[] } {
  if (line.length <= MAX_EXCERPT_LENGTH) return { line, matches: [...ranges] };
  const wanted = Math.max(
    0,
    Math.min((ranges[0]?.start ?? 0) - LEAD_LENGTH, line.length - MAX_EXCERPT_LENGTH),
  );
  const start = alignToCharacter(line, wanted);
  const end = alignToCharacter(line, start + MAX_EXCERPT_LENGTH);
  const matches = ranges
    .filter((range) => range.start >= start && range.start < end)
    .map((range) => ({ start: range.start - start, end: Math.min(range.end, end) - start }));
  return { line: line.slice(start, end), matches };
}

/** A cut never splits a character that takes two units. */
function alignToCharacter(line: string, index: number): number {
  const code = line.charCodeAt(index);
  return code >= 0xdc00 && code <= 0xdfff ? index - 1 : index;
}
