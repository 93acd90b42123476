// One row of a screen in the format `cells`, as sequences that draw it.

interface Run {
  readonly text: string;
  readonly width: number;
  readonly fg?: number | string;
  readonly bg?: number | string;
  readonly attributes?: readonly string[];
}

const ATTRIBUTES: Readonly<Record<string, number>> = {
  bold: 1,
  dim: 2,
  italic: 3,
  underline: 4,
  blink: 5,
  inverse: 7,
  hidden: 8,
  strikethrough: 9,
  overline: 53,
};

/** The runs of cells of one row. */
export type Row = readonly Run[];

/** The visible rows of a screen; the host writes them in this form, and only what makes sense of it is drawn. */
export const readRows = (cells = "[]"): readonly Row[] => JSON.parse(cells) as readonly Row[];

/** Draws a row from where the cursor stands; nothing where there is none, and no more than fits. */
export function drawRow(runs: Row | undefined, cols = Number.POSITIVE_INFINITY): string {
  let left = cols;
  const drawn: string[] = [];
  for (const run of runs ?? []) {
    if (left <= 0) break;
    drawn.push(`\x1b[${styleOf(run)}m${run.width <= left ? textOf(run) : cut(textOf(run), left)}`);
    left -= run.width;
  }
  return `${drawn.join("")}\x1b[0m`;
}

/** The first row to show so that the cursor is among those that fit. */
export const fittingRows = (rows: number, cursorRow: number): number =>
  Math.max(0, cursorRow - rows + 1);

/** As many letters as fit; wide ones may be cut one too late, where a terminal that does not wrap draws over the edge. */
const cut = (text: string, cols: number): string => Array.from(text).slice(0, cols).join("");

/** What the host tells of cells is text only; a control character would be a fault of it. */
const textOf = ({ text, width }: Run): string =>
  text.replaceAll(/\p{Cc}/gu, " ") || " ".repeat(Math.max(0, width));

function styleOf({ fg, bg, attributes = [] }: Run): string {
  const numbers = attributes.flatMap((name) => ATTRIBUTES[name] ?? []);
  return [0, ...numbers, ...colorOf(fg, 38), ...colorOf(bg, 48)].join(";");
}

function colorOf(color: Run["fg"], code: number): readonly number[] {
  if (color === undefined) return [];
  if (typeof color === "number") return [code, 5, color];
  const parts = [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16));
  return [code, 2, ...parts];
}
