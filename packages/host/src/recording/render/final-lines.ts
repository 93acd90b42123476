import { addRow, closeLine } from "./rendered-line.ts";
import type { OpenLine, RenderedLine } from "./rendered-line.ts";
import type { TextRow } from "./row.ts";

/** Gathers lines in the order in which they became final. */
export class FinalLines {
  #lines: RenderedLine[];

  constructor(lines: readonly RenderedLine[] = []) {
    this.#lines = [...lines];
  }

  get all(): readonly RenderedLine[] {
    return this.#lines;
  }

  /** Gives the lines away. */
  take(): RenderedLine[] {
    const lines = this.#lines;
    this.#lines = [];
    return lines;
  }

  /** A row leaves the screen; when its line goes on in the row below, that one takes over what was before it. */
  addRow(row: TextRow, below: TextRow | undefined): void {
    if (row.isEmpty) return;
    const open = addRow(row.head, row, this.#lines);
    row.head = undefined;
    if (!open) return;
    if (below && !below.head) below.head = open;
    else closeLine(open, this.#lines);
  }

  /** What went before this row is no longer continued in it. */
  closeHead(row: TextRow): void {
    if (!row.head) return;
    closeLine(row.head, this.#lines);
    row.head = undefined;
  }
}

/** The lines that rows would make if they all left the screen now; changes nothing. */
export function renderRows(rows: readonly TextRow[]): RenderedLine[] {
  const lines: RenderedLine[] = [];
  let open: OpenLine | undefined;
  for (const row of rows) {
    if (open && row.head) {
      closeLine(open, lines);
      open = undefined;
    }
    if (!open && row.isEmpty) continue;
    open = addRow(open ?? row.head, row, lines);
  }
  if (open) closeLine(open, lines);
  return lines;
}
