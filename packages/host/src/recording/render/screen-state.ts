import { MAX_SIDE_CELLS } from "@nacre/contracts";
import type { RowState, ScreenState } from "./renderer-state.ts";
import type { TextRow } from "./row.ts";
import type { TextScreen } from "./screen.ts";
import { isSameTextStyle, PLAIN_TEXT_STYLE } from "./style.ts";
import type { StyledRun } from "./style.ts";

/** A screen as plain JSON, without what is blank at its right and its bottom. */
export function toScreenState(screen: TextScreen): ScreenState {
  const rows = screen.rows.map(toRowState);
  const { cursor, top, bottom, saved } = screen;
  return {
    rows: rows.slice(0, rows.findLastIndex((row) => row !== null) + 1),
    cursor: { ...cursor },
    top,
    bottom,
    ...(saved && { saved }),
  };
}

/** Makes a new screen what another was. */
export function restoreScreen(screen: TextScreen, state: ScreenState): void {
  for (const [at, row] of screen.rows.entries()) restoreRow(row, state.rows[at] ?? null);
  Object.assign(screen.cursor, state.cursor);
  screen.top = state.top;
  screen.bottom = state.bottom;
  screen.saved = state.saved;
}

function toRowState(row: TextRow): RowState | null {
  const text = row.runs ?? row.text;
  // Blanks at the end of a row that ran over are in the middle of its line.
  const kept = row.wrapsAt > 0 ? text : withoutTrailingSpaces(text);
  if (kept.length === 0 && !row.head) return null;
  return {
    text: kept,
    first: row.first,
    last: row.last,
    ...(row.wrapsAt > 0 && { wrapsAt: row.wrapsAt }),
    ...(row.head && { head: row.head }),
  };
}

function restoreRow(row: TextRow, state: RowState | null): void {
  if (!state) return;
  const { text, first, last } = state;
  row.restore(typeof text === "string" ? [{ text, style: PLAIN_TEXT_STYLE }] : text, {
    first,
    last,
  });
  if (row.length > MAX_SIDE_CELLS) {
    throw new Error(`the state of a renderer is damaged: a row has ${row.length} columns`);
  }
  row.wrapsAt = state.wrapsAt ?? 0;
  row.head = state.head;
}

/** Spaces that look like something stay: text may follow them. */
function withoutTrailingSpaces(text: string | readonly StyledRun[]): string | StyledRun[] {
  if (typeof text === "string") return trimSpaces(text);
  const kept = [...text];
  const last = kept.pop();
  if (!last) return kept;
  const rest = isSameTextStyle(last.style, PLAIN_TEXT_STYLE) ? trimSpaces(last.text) : last.text;
  return rest === "" ? kept : [...kept, { text: rest, style: last.style }];
}

/** Blanks of other kinds are characters that were written. */
function trimSpaces(text: string): string {
  let end = text.length;
  while (end > 0 && text[end - 1] === " ") end--;
  return text.slice(0, end);
}
