import { MAX_SIDE_CELLS, Size } from "@nacre/contracts";
import { z } from "zod";
import { MAX_CELL_LENGTH } from "./cells.ts";
import { MAX_INTERMEDIATES, MAX_PARAMETER, MAX_PARAMETERS } from "./csi.ts";
import { MAX_LINE_LENGTH } from "./rendered-line.ts";
import { PARSER_PHASES } from "./output-parser.ts";
import { MAX_BEGUN_BYTES } from "./utf8-decoder.ts";

/** A row of the widest screen whose cells are full of marks; also longer than any line. */
const MAX_ROW_LENGTH = MAX_CELL_LENGTH * MAX_SIDE_CELLS;

const Mark = z.int();
const Place = z.int().min(0).max(MAX_SIDE_CELLS);
const Flag = z.literal(true).optional();
const Color = z.union([z.int().min(0).max(255), z.string().regex(/^#[0-9a-f]{6}$/)]);

/** Controls are never part of a line. */
const Text = (maxLength: number) =>
  z
    .string()
    .max(maxLength)
    .regex(/^\P{Cc}*$/u);

const Style = z.strictObject({
  bold: Flag,
  dim: Flag,
  italic: Flag,
  underline: Flag,
  inverse: Flag,
  strike: Flag,
  fg: Color.optional(),
  bg: Color.optional(),
});

const Runs = z.array(z.strictObject({ text: Text(MAX_ROW_LENGTH), style: Style })).readonly();

const Line = z.strictObject({
  text: Text(MAX_LINE_LENGTH),
  first: Mark,
  last: Mark,
  carry: z.int().min(0).max(MAX_LINE_LENGTH),
  runs: Runs.optional(),
});

const OpenLine = z.strictObject({ ...Line.shape, isBlank: z.boolean() });

const Row = z.strictObject({
  text: z.union([Text(MAX_ROW_LENGTH), Runs]),
  first: Mark,
  last: Mark,
  wrapsAt: Place.optional(),
  head: OpenLine.optional(),
});

const Charsets = z.strictObject({ g0: z.boolean(), g1: z.boolean(), isShifted: z.boolean() });

const Screen = z.strictObject({
  /** Blank rows are null, and those at the end are left out. */
  rows: z.array(Row.nullable()).max(MAX_SIDE_CELLS).readonly(),
  cursor: z.strictObject({ row: Place, column: Place }),
  top: Place,
  bottom: Place,
  saved: z
    .strictObject({
      row: Place,
      column: Place,
      isOrigin: z.boolean(),
      charsets: Charsets,
      style: Style,
    })
    .optional(),
});

const Csi = z.strictObject({
  prefix: z.string().max(1),
  intermediates: z.string().max(MAX_INTERMEDIATES),
  numbers: z.array(z.int().min(-1).max(MAX_PARAMETER)).min(1).max(MAX_PARAMETERS).readonly(),
  colons: z.int(),
  isFull: z.boolean(),
  isMalformed: z.boolean(),
});

const Shape = z.strictObject({
  version: z.literal(1),
  begunBytes: z.array(z.int().min(0).max(255)).max(MAX_BEGUN_BYTES).readonly(),
  parser: z.strictObject({
    phase: z.enum(PARSER_PHASES),
    intermediates: z.string().max(MAX_INTERMEDIATES),
    csi: Csi.optional(),
  }),
  setup: z.strictObject({
    size: Size,
    isStyled: z.boolean(),
    pen: z.strictObject({ mark: Mark, style: Style }),
    modes: z.strictObject({
      isAutowrap: z.boolean(),
      isOrigin: z.boolean(),
      isInsert: z.boolean(),
    }),
    charsets: Charsets,
    tabStops: z
      .array(Place.max(MAX_SIDE_CELLS - 1))
      .max(MAX_SIDE_CELLS)
      .readonly()
      .optional(),
  }),
  primary: Screen,
  alternate: Screen.optional(),
  /** Final lines that nobody has taken yet. */
  final: z.array(Line).readonly(),
});

/** A row as plain JSON. */
export type RowState = z.infer<typeof Row>;

/** One of the two screens as plain JSON. */
export type ScreenState = z.infer<typeof Screen>;

/** Everything that a renderer needs to go on in another process, as plain JSON. */
export type RendererState = z.infer<typeof Shape>;

/** Accepts what a renderer gave; throws when it is damaged or of another version. */
export function parseRendererState(value: unknown): RendererState {
  const { data: state, error } = Shape.safeParse(value);
  if (!state) throw damaged(z.prettifyError(error));
  checkScreen(state.primary, state.setup.size);
  if (state.alternate) checkScreen(state.alternate, state.setup.size);
  return state;
}

function checkScreen({ rows, cursor, top, bottom, saved }: ScreenState, size: Size): void {
  if (rows.length > size.rows) throw damaged(`${rows.length} rows on ${size.rows}`);
  if (top > bottom || bottom >= size.rows) throw damaged(`rows ${top} to ${bottom} are no region`);
  for (const place of [cursor, saved ?? cursor]) {
    if (place.row < size.rows && place.column <= size.cols) continue;
    throw damaged(`row ${place.row}, column ${place.column} is not on the screen`);
  }
}

function damaged(why: string): Error {
  return new Error(`the state of a renderer is damaged: ${why}`);
}
