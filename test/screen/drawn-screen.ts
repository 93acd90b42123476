// What two terminals must agree on.
import type { Cursor } from "@nacre/contracts";

/** A character as it is seen. */
export interface DrawnCharacter {
  /** One code point. */
  readonly character: string;
  /** Colours and attributes, spelled the same by all. */
  readonly look: string;
}

/** A screen as one terminal drew it. */
export interface DrawnScreen {
  /** Without plain blanks at the ends of the rows. */
  readonly rows: readonly (readonly DrawnCharacter[])[];
  readonly cursor: Cursor;
  readonly alternate: boolean;
}

/** How a cell looks: colours are numbers of the palette or `#rrggbb`, attributes have the names of our cells. */
export interface Look {
  readonly fg?: string | number | undefined;
  readonly bg?: string | number | undefined;
  readonly attributes: readonly string[];
}

/** Attributes that show on a blank. */
const SHOWN_ON_BLANKS = ["inverse", "strikethrough", "underline", "overline"];

/** One spelling of what is seen: on a blank, most attributes are not. */
export function spellLook(character: string, { fg, bg, attributes }: Look): string {
  const isBlank = character === " " && !SHOWN_ON_BLANKS.some((name) => attributes.includes(name));
  const parts = isBlank
    ? [bg === undefined ? "" : `bg=${bg}`]
    : [
        fg === undefined ? "" : `fg=${fg}`,
        bg === undefined ? "" : `bg=${bg}`,
        ...attributes.toSorted((one, other) => one.localeCompare(other)),
      ];
  return parts.filter((part) => part !== "").join(" ");
}

/** A row without the plain blanks at its end. */
export function trimRow(row: readonly DrawnCharacter[]): readonly DrawnCharacter[] {
  const last = row.findLastIndex(({ character, look }) => character !== " " || look !== "");
  return row.slice(0, last + 1);
}

/** Lines without blanks at their ends, and without empty ones at the end. */
export function trimLines(lines: readonly string[]): readonly string[] {
  const trimmed = lines.map((line) => line.trimEnd());
  return trimmed.slice(0, trimmed.findLastIndex((line) => line !== "") + 1);
}

/** What differs in text, cursor and alternate screen, in words; empty when nothing does. */
export function textDifferences(ours: DrawnScreen, theirs: DrawnScreen): readonly string[] {
  const found = rowDifferences(ours, theirs, textOf);
  const [cursor, otherCursor] = [ours.cursor, theirs.cursor].map(
    ({ row, column, visible }) => `${row},${column}${visible ? "" : " hidden"}`,
  );
  if (cursor !== otherCursor) found.push(`cursor: ours ${cursor}, tmux ${otherCursor}`);
  if (ours.alternate !== theirs.alternate) {
    found.push(`alternate: ours ${ours.alternate}, tmux ${theirs.alternate}`);
  }
  return found;
}

/** What differs in colours and attributes, in words; empty when nothing does. */
export const lookDifferences = (ours: DrawnScreen, theirs: DrawnScreen): readonly string[] =>
  rowDifferences(ours, theirs, spell);

function rowDifferences(
  ours: DrawnScreen,
  theirs: DrawnScreen,
  spellRow: (row: readonly DrawnCharacter[]) => string,
): string[] {
  const found: string[] = [];
  for (let row = 0; row < Math.max(ours.rows.length, theirs.rows.length); row++) {
    const [one, other] = [spellRow(ours.rows[row] ?? []), spellRow(theirs.rows[row] ?? [])];
    if (one === other) continue;
    found.push(`row ${row}: ours ${JSON.stringify(one)}, tmux ${JSON.stringify(other)}`);
  }
  return found;
}

const textOf = (row: readonly DrawnCharacter[]): string =>
  row
    .map(({ character }) => character)
    .join("")
    .trimEnd();

const spell = (row: readonly DrawnCharacter[]): string =>
  row.map(({ character, look }) => (look === "" ? character : `${character}<${look}>`)).join("");
