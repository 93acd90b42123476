import { MAX_SIDE_CELLS, Size } from "@nacre/contracts";
import { z } from "zod";
import { MAX_INCOMPLETE_BYTES } from "../utf8.ts";
import { MAX_CELL_LENGTH } from "./cells.ts";
import { MAX_INTERMEDIATES, MAX_PARAMETER, MAX_PARAMETERS, PARSER_PHASES } from "./vt-parser.ts";
import { MAX_LINE_LENGTH } from "./rendered-line.ts";
import type { TextRow } from "./text-row.ts";
import type { TextScreen } from "./text-screens.ts";
import type { TextStyle } from "./text-style.ts";

/** The widest row with cells full of marks; also longer than any line. */
const MAX_ROW_LENGTH = MAX_CELL_LENGTH * MAX_SIDE_CELLS;

const MarkSchema = z.int();
const PlaceSchema = z.int().min(0).max(MAX_SIDE_CELLS);
const FlagSchema = z.literal(true).optional();

/** No controls but tabs; VT and FF stand for parts of tabs, see `storeCells`. */
const textSchema = (maxLength: number) =>
  z
    .string()
    .max(maxLength)
    .regex(/^[\P{Cc}\t\v\f]*$/u);

/** Only renderers without styles are kept. */
const NoStyleSchema: z.ZodType<TextStyle> = z.strictObject({});

const RgbSchema = z.int().min(0).max(0xffffff).optional();

const VisibilitySchema = z.strictObject({ isConcealed: FlagSchema, fg: RgbSchema, bg: RgbSchema });

const LineSchema = z.strictObject({
  text: textSchema(MAX_LINE_LENGTH),
  first: MarkSchema,
  last: MarkSchema,
  carry: z.int().min(0).max(MAX_LINE_LENGTH),
});

const OpenLineSchema = z.strictObject({ ...LineSchema.shape, isBlank: z.boolean() });

const RowSchema = z.strictObject({
  text: textSchema(MAX_ROW_LENGTH),
  first: MarkSchema,
  last: MarkSchema,
  wrapsAt: PlaceSchema.optional(),
  head: OpenLineSchema.optional(),
});

const CharsetsSchema = z.strictObject({ g0: z.boolean(), g1: z.boolean(), isShifted: z.boolean() });

const ScreenSchema = z.strictObject({
  /** Blank rows are null; trailing ones are omitted. */
  rows: z.array(RowSchema.nullable()).max(MAX_SIDE_CELLS).readonly(),
  cursor: z.strictObject({ row: PlaceSchema, column: PlaceSchema }),
  top: PlaceSchema,
  bottom: PlaceSchema,
  saved: z
    .strictObject({
      row: PlaceSchema,
      column: PlaceSchema,
      isOrigin: z.boolean(),
      charsets: CharsetsSchema,
      style: NoStyleSchema,
      visibility: VisibilitySchema,
    })
    .optional(),
});

const CsiSchema = z.strictObject({
  prefix: z.string().max(1),
  intermediates: z.string().max(MAX_INTERMEDIATES),
  numbers: z.array(z.int().min(-1).max(MAX_PARAMETER)).min(1).max(MAX_PARAMETERS).readonly(),
  colons: z.int(),
  isFull: z.boolean(),
  isMalformed: z.boolean(),
});

const RendererStateSchema = z.strictObject({
  version: z.literal(2),
  begunBytes: z.array(z.int().min(0).max(255)).max(MAX_INCOMPLETE_BYTES).readonly(),
  parser: z.strictObject({
    phase: z.enum(PARSER_PHASES),
    intermediates: z.string().max(MAX_INTERMEDIATES),
    csi: CsiSchema.optional(),
  }),
  setup: z.strictObject({
    size: Size,
    isStyled: z.literal(false),
    pen: z.strictObject({ mark: MarkSchema, style: NoStyleSchema }),
    visibility: VisibilitySchema,
    modes: z.strictObject({
      isAutowrap: z.boolean(),
      isOrigin: z.boolean(),
      isInsert: z.boolean(),
      isHomed: z.boolean(),
    }),
    charsets: CharsetsSchema,
    tabStops: z
      .array(PlaceSchema.max(MAX_SIDE_CELLS - 1))
      .max(MAX_SIDE_CELLS)
      .readonly()
      .optional(),
  }),
  primary: ScreenSchema,
  alternate: ScreenSchema.optional(),
  /** Not taken yet. */
  final: z.array(LineSchema).readonly(),
});

type RowState = z.infer<typeof RowSchema>;

export type ScreenState = z.infer<typeof ScreenSchema>;

/** Lets a renderer continue in another process. */
export type RendererState = z.infer<typeof RendererStateSchema>;

/** Throws when it is damaged or of another version. */
export function parseRendererState(value: unknown): RendererState {
  const { data: state, error } = RendererStateSchema.safeParse(value);
  if (!state) throw damagedStateError(z.prettifyError(error));
  checkScreen(state.primary, state.setup.size);
  if (state.alternate) checkScreen(state.alternate, state.setup.size);
  return state;
}

function checkScreen({ rows, cursor, top, bottom, saved }: ScreenState, size: Size): void {
  if (rows.length > size.rows) throw damagedStateError(`${rows.length} rows on ${size.rows}`);
  if (top > bottom || bottom >= size.rows)
    throw damagedStateError(`rows ${top} to ${bottom} are no region`);
  for (const place of [cursor, saved ?? cursor]) {
    if (place.row < size.rows && place.column <= size.cols) continue;
    throw damagedStateError(`row ${place.row}, column ${place.column} is not on the screen`);
  }
}

function damagedStateError(why: string): Error {
  return new Error(`the state of a renderer is damaged: ${why}`);
}

/** Without trailing blanks and rows. */
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

export function restoreScreen(screen: TextScreen, state: ScreenState): void {
  for (const [at, row] of screen.rows.entries()) restoreRow(row, state.rows[at] ?? null);
  Object.assign(screen.cursor, state.cursor);
  screen.top = state.top;
  screen.bottom = state.bottom;
  screen.saved = state.saved;
}

function toRowState(row: TextRow): RowState | null {
  const text = row.stored;
  // Blanks at the end of a row that ran over are in the middle of its line.
  const kept = row.wrapsAt > 0 ? text : trimSpaces(text);
  if (kept === "" && !row.head) return null;
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
  row.restore(state);
  if (row.length > MAX_SIDE_CELLS) throw damagedStateError(`a row has ${row.length} columns`);
  row.wrapsAt = state.wrapsAt ?? 0;
  row.head = state.head;
}

/** Blanks of other kinds are characters that were written. */
function trimSpaces(text: string): string {
  let end = text.length;
  while (end > 0 && text[end - 1] === " ") end--;
  return text.slice(0, end);
}
