/** A piece of a line, and whether it is what was looked for. */
export interface ExcerptPiece {
  readonly text: string;
  readonly isMatch: boolean;
}

/** The part of a line where the text was found: its first and the one behind its last UTF-16 unit. */
export interface Range {
  readonly start: number;
  readonly end: number;
}

/** Lines of a person's screen are shorter; of longer ones the part around the first match is shown. */
const MAX_EXCERPT_LENGTH = 240;

/** How much is shown before the first match of a long line. */
const LEAD_LENGTH = 60;

const CUT = "…";

/** Cuts a line into pieces to be shown as text, with the matches apart; ranges that make no sense are left out. */
export function highlightMatches(line: string, matches: readonly Range[]): readonly ExcerptPiece[] {
  const ranges = inOrder(line, matches);
  const from = isLong(line) ? Math.max(0, (ranges[0]?.start ?? 0) - LEAD_LENGTH) : 0;
  const to = isLong(line) ? Math.min(line.length, from + MAX_EXCERPT_LENGTH) : line.length;
  const window = { start: wholeLetter(line, from), end: wholeLetter(line, to) };
  const pieces: ExcerptPiece[] = [];
  const add = (start: number, end: number, isMatch: boolean): void => {
    const text = line.slice(Math.max(start, window.start), Math.min(end, window.end));
    if (text !== "") pieces.push({ text, isMatch });
  };
  let at = 0;
  for (const { start, end } of ranges) {
    add(at, start, false);
    add(start, end, true);
    at = end;
  }
  add(at, line.length, false);
  if (window.start > 0) pieces.unshift({ text: CUT, isMatch: false });
  if (window.end < line.length) pieces.push({ text: CUT, isMatch: false });
  return pieces;
}

const isLong = (line: string): boolean => line.length > MAX_EXCERPT_LENGTH;

/** Joined where they touch or overlap, so that no letter is shown twice. */
function inOrder(line: string, matches: readonly Range[]): readonly Range[] {
  const joined: Range[] = [];
  const sane = matches
    .map(({ start, end }) => ({ start, end: Math.min(end, line.length) }))
    .filter(({ start, end }) => start >= 0 && start < end)
    .toSorted((one, other) => one.start - other.start);
  for (const range of sane) {
    const last = joined.at(-1);
    if (!last || range.start > last.end) joined.push(range);
    else joined[joined.length - 1] = { start: last.start, end: Math.max(last.end, range.end) };
  }
  return joined;
}

/** A cut never goes through a pair of surrogates. */
function wholeLetter(line: string, at: number): number {
  const unit = line.charCodeAt(at);
  return at > 0 && at < line.length && unit >= 0xdc00 && unit <= 0xdfff ? at - 1 : at;
}
