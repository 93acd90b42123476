import { safeText } from "./print.ts";
import type { Style } from "./style.ts";

/** One column of a table, and how each row of data fills it. */
export interface Column<Row> {
  readonly head: string;
  /** What others said goes through `safeText` here, once for all tables. */
  readonly text: (row: Row) => string;
  /** Longer texts are cut. */
  readonly maxWidth?: number;
  /** How the text is marked once it has its width. */
  readonly mark?: (text: string, row: Row, style: Style) => string;
}

/** Writes rows below each other, each column as wide as its widest text; the last is never filled up. */
export function formatTable<Row>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  style: Style,
): string {
  const cells = rows.map((row) =>
    columns.map(({ text, maxWidth }) => cut(safeText(text(row)), maxWidth)),
  );
  const widths = columns.map(({ head }, at) =>
    Math.max(displayWidth(head), ...cells.map((line) => displayWidth(line[at] ?? ""))),
  );
  const fill = (text: string, at: number): string =>
    at === columns.length - 1 ? text : text + " ".repeat((widths[at] ?? 0) - displayWidth(text));
  const lines = rows.map((row, index) =>
    columns
      .map(({ mark }, at) => {
        const text = fill(cells[index]?.[at] ?? "", at);
        return mark ? mark(text, row, style) : text;
      })
      .join("  "),
  );
  return [style.dim(columns.map(({ head }, at) => fill(head, at)).join("  ")), ...lines]
    .map((line) => line.trimEnd())
    .join("\n");
}

const WIDE =
  /[\u1100-\u115F\u2E80-\uA4CF\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE6F\uFF00-\uFF60\u{1F300}-\u{1F64F}\u{1F900}-\u{1F9FF}\u{20000}-\u{3FFFD}]/u;

const segmenter = new Intl.Segmenter();

/** How many columns a terminal shows a text in, near enough for a table. */
export function displayWidth(text: string): number {
  let width = 0;
  for (const { segment } of segmenter.segment(text)) width += WIDE.test(segment) ? 2 : 1;
  return width;
}

function cut(text: string, maxWidth = Number.POSITIVE_INFINITY): string {
  if (displayWidth(text) <= maxWidth) return text;
  let kept = "";
  let width = 1;
  for (const { segment } of segmenter.segment(text)) {
    width += displayWidth(segment);
    if (width > maxWidth) break;
    kept += segment;
  }
  return `${kept}…`;
}
