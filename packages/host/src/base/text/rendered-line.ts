import { isBlank, withoutTrailingBlanks } from "./cells.ts";
import type { TextRow } from "./text-row.ts";
import { appendRun, sliceRuns, type StyledRun } from "./text-style.ts";

/** Visible lines without trailing blanks, or all lines as written. */
type LineRule = "visible" | "verbatim";

/** Lines in the order in which they became final. */
export class FinalLines {
  readonly #rule: LineRule;
  #lines: RenderedLine[];

  constructor(lines: readonly RenderedLine[] = [], rule: LineRule = "visible") {
    this.#lines = [...lines];
    this.#rule = rule;
  }

  get isVerbatim(): boolean {
    return this.#rule === "verbatim";
  }

  get all(): readonly RenderedLine[] {
    return this.#lines;
  }

  take(): RenderedLine[] {
    const lines = this.#lines;
    this.#lines = [];
    return lines;
  }

  /** A row leaves the screen; if its line continues below, that row takes over the beginning. */
  addRow(row: TextRow, below: TextRow | undefined): void {
    if (row.isEmpty && !(this.isVerbatim && row.isLine)) return;
    const open = addRow(row.head, row, this);
    row.head = undefined;
    if (!open) return;
    if (below && !below.head) below.head = open;
    else closeLine(open, this);
  }

  push(line: RenderedLine): void {
    this.#lines.push(line);
  }

  /** The line before does not continue in this row any more. */
  closeHead(row: TextRow): void {
    if (!row.head) return;
    closeLine(row.head, this);
    row.head = undefined;
  }
}

/** As if all rows left the screen now; changes nothing. */
export function renderRows(rows: readonly TextRow[], rule: LineRule = "visible"): RenderedLine[] {
  const lines = new FinalLines([], rule);
  let open: OpenLine | undefined;
  for (const row of rows) {
    if (open && row.head) {
      closeLine(open, lines);
      open = undefined;
    }
    if (!open && row.isEmpty && !(lines.isVerbatim && row.isLine)) continue;
    open = addRow(open ?? row.head, row, lines);
  }
  if (open) closeLine(open, lines);
  return lines.take();
}

/** Of verbatim lines. */
export function joinLines(lines: readonly RenderedLine[]): string {
  let text = "";
  for (const [at, line] of lines.entries()) {
    if (line.carry > 0) text += line.text.slice(line.carry);
    else text += at === 0 ? line.text : `\n${line.text}`;
  }
  return text;
}

/** A longer line is cut: it must neither be kept whole nor searched as one text. */
export const MAX_LINE_LENGTH = 8_192;

/** A text of up to this length is found whole in one piece of a cut line. */
export const MAX_CARRY_LENGTH = 256;

/** One line, or a piece of a very long one. */
export interface RenderedLine {
  /** Wrapped rows joined; without trailing blanks, unless the line continues in another piece. */
  readonly text: string;
  /** Mark of the first write, without the carry. */
  readonly first: number;
  /** Mark of the newest write. */
  readonly last: number;
  /** Leading UTF-16 units that repeat the end of the previous piece; 0 unless the line was cut. */
  readonly carry: number;
  /** By style, when styles are kept. */
  readonly runs?: readonly StyledRun[] | undefined;
}

/** A line without a known end: its first rows, or what follows its final pieces. */
export interface OpenLine extends RenderedLine {
  /** Only blanks after the carry; the marks are then those of the first row with more. */
  readonly isBlank: boolean;
}

/** Complete pieces go to `lines`; returns what is still open. */
function addRow(open: OpenLine | undefined, row: TextRow, lines: FinalLines): OpenLine | undefined {
  if (!open && row.wrapsAt === 0 && row.isPlain) return addWholeRow(row, lines);
  let line = open ? joinRow(open, row) : toOpenLine(row);
  while (line.text.length > MAX_LINE_LENGTH) line = cutPiece(line, row, lines);
  if (row.wrapsAt > 0) return line;
  closeLine(line, lines);
  return undefined;
}

/** A blank line, or one that adds only blanks to its pieces, is dropped. */
function closeLine(line: OpenLine, lines: FinalLines): void {
  if (lines.isVerbatim) return lines.push(toPiece(line, line.text));
  if (line.isBlank) return;
  const text = withoutTrailingBlanks(line.text);
  lines.push(toPiece(line, text));
}

/** The hot path: most lines are one row of a flood. */
function addWholeRow({ text, first, last }: TextRow, lines: FinalLines): undefined {
  const shown = lines.isVerbatim ? text : withoutTrailingBlanks(text);
  lines.push({ text: shown, first, last, carry: 0 });
}

function toPiece({ first, last, carry, runs }: OpenLine, text: string): RenderedLine {
  if (!runs) return { text, first, last, carry };
  return { text, first, last, carry, runs: sliceRuns(runs, 0, text.length) };
}

function toOpenLine(row: TextRow): OpenLine {
  const { text, first, last, isBlank, runs } = row;
  return { text, first, last, carry: 0, isBlank, runs };
}

function joinRow(open: OpenLine, row: TextRow): OpenLine {
  const runs = row.runs && joinRuns(open.runs ?? [], row.runs);
  const joined = { ...open, text: open.text + row.text, runs };
  if (row.isBlank) return joined;
  const first = open.isBlank ? row.first : open.first;
  const last = open.isBlank ? row.last : Math.max(open.last, row.last);
  return { ...joined, first, last, isBlank: false };
}

function joinRuns(before: readonly StyledRun[], after: readonly StyledRun[]): StyledRun[] {
  const runs = [...before];
  for (const run of after) appendRun(runs, run);
  return runs;
}

/** Makes the longest possible piece final; returns the rest from its carry on. */
function cutPiece(line: OpenLine, row: TextRow, lines: FinalLines): OpenLine {
  const { text, runs, carry } = line;
  const end = wholeCharacterAt(text, MAX_LINE_LENGTH);
  // A piece of blanks says nothing, and a flood of them must not become a flood of lines.
  const isNews = !isBlank(text.slice(carry, end));
  if (isNews) lines.push(toPiece(line, text.slice(0, end)));
  const start = isNews ? wholeCharacterAt(text, end - MAX_CARRY_LENGTH) : 0;
  const carried = isNews ? end : carry;
  const rest = text.slice(end);
  return {
    text: text.slice(start, carried) + rest,
    first: row.first,
    last: row.last,
    carry: carried - start,
    isBlank: isBlank(rest),
    runs: runs && joinRuns(sliceRuns(runs, start, carried), sliceRuns(runs, end, text.length)),
  };
}

/** Never inside a surrogate pair. */
function wholeCharacterAt(text: string, at: number): number {
  return (text.codePointAt(at - 1) ?? 0) > 0xffff ? at - 1 : at;
}
