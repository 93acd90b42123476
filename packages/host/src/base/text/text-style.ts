import { formatHexColor } from "../palette.ts";
import type { Csi } from "./vt-parser.ts";

/** A palette index, whose first 16 are the terminal's own, or `#rrggbb`. */
export type Color = number | string;

/** Absent: the terminal's default. */
export interface TextStyle {
  readonly bold?: true | undefined;
  readonly dim?: true | undefined;
  readonly italic?: true | undefined;
  readonly underline?: true | undefined;
  readonly inverse?: true | undefined;
  readonly strike?: true | undefined;
  readonly fg?: Color | undefined;
  readonly bg?: Color | undefined;
}

export interface StyledRun {
  readonly text: string;
  readonly style: TextStyle;
}

export const PLAIN_TEXT_STYLE: TextStyle = Object.freeze({});

type Change = (style: TextStyle) => TextStyle;

const change =
  (part: TextStyle): Change =>
  (style) => ({ ...style, ...part });

const CHANGES = new Map<number, Change>([
  [0, () => PLAIN_TEXT_STYLE],
  [1, change({ bold: true })],
  [2, change({ dim: true })],
  [3, change({ italic: true })],
  [4, change({ underline: true })],
  [7, change({ inverse: true })],
  [9, change({ strike: true })],
  [21, change({ underline: true })],
  [22, change({ bold: undefined, dim: undefined })],
  [23, change({ italic: undefined })],
  [24, change({ underline: undefined })],
  [27, change({ inverse: undefined })],
  [29, change({ strike: undefined })],
  [39, change({ fg: undefined })],
  [49, change({ bg: undefined })],
  ...Array.from({ length: 8 }, (_, color) => paletteChanges(color)).flat(),
]);

function paletteChanges(color: number): [number, Change][] {
  return [
    [30 + color, change({ fg: color })],
    [40 + color, change({ bg: color })],
    [90 + color, change({ fg: 8 + color })],
    [100 + color, change({ bg: 8 + color })],
  ];
}

export function isSameTextStyle(a: TextStyle, b: TextStyle): boolean {
  if (a === b) return true;
  return (
    a.fg === b.fg &&
    a.bg === b.bg &&
    a.bold === b.bold &&
    a.dim === b.dim &&
    a.italic === b.italic &&
    a.underline === b.underline &&
    a.inverse === b.inverse &&
    a.strike === b.strike
  );
}

/** The numbers of a colour: one of the palette, or red, green and blue; none when it is neither. */
export type SgrColor = readonly number[];

/** A parameter of SGR, with the colour that 38, 48 or 58 introduce, or the number that a colon joined to another one. */
type VisitSgr = (code: number, color: SgrColor, detail?: number) => void;

const NO_COLOR: SgrColor = [];

/** How many parameters a colour takes in the semicolon form, by its kind. */
const COLOR_LENGTHS: Readonly<Record<number, number>> = { 2: 5, 5: 3 };

/** Takes a "select graphic rendition" sequence apart, in its semicolon and its colon form. */
export function forEachSgr(csi: Csi, visit: VisitSgr): void {
  for (let at = 0; at < csi.length;) {
    const code = csi.number(at, 0);
    const end = csi.endOfGroup(at);
    const isGroup = end > at + 1;
    if (code !== 38 && code !== 48 && code !== 58) {
      visit(code, NO_COLOR, isGroup ? csi.number(at + 1, 1) : undefined);
      at = end;
      continue;
    }
    const kind = csi.number(at + 1, 0);
    const length = isGroup ? end - at : (COLOR_LENGTHS[kind] ?? 2);
    if (kind === 5) visit(code, [csi.number(at + 2, 0)]);
    else if (kind === 2) {
      // The full colon form names a colour space between the kind and the channels.
      const first = at + (isGroup && length > 5 ? 3 : 2);
      visit(code, [csi.number(first, 0), csi.number(first + 1, 0), csi.number(first + 2, 0)]);
    } else visit(code, NO_COLOR);
    at += length;
  }
}

/** The style after a "select graphic rendition" sequence. */
export function selectGraphicRendition(style: TextStyle, csi: Csi): TextStyle {
  let result = style;
  forEachSgr(csi, (code, numbers, detail) => {
    const color = toColor(numbers);
    if (color === undefined) {
      const isOff = code === 4 && detail === 0;
      result = CHANGES.get(isOff ? 24 : code)?.(result) ?? result;
    } else if (code !== 58) result = { ...result, [code === 38 ? "fg" : "bg"]: color };
  });
  return result;
}

function toColor(numbers: SgrColor): Color | undefined {
  const [first, ...rest] = numbers.map((number) => Math.min(number, 255));
  if (first === undefined || rest.length === 0) return first;
  return formatHexColor((first << 16) | ((rest[0] ?? 0) << 8) | (rest[1] ?? 0));
}

/** Merged with the last one when the style is the same. */
export function appendRun(runs: StyledRun[], run: StyledRun): void {
  const last = runs.at(-1);
  if (last && isSameTextStyle(last.style, run.style)) {
    runs[runs.length - 1] = { text: last.text + run.text, style: last.style };
  } else if (run.text !== "") {
    runs.push(run);
  }
}

/** UTF-16 units. */
export function sliceRuns(runs: readonly StyledRun[], from: number, to: number): StyledRun[] {
  const slice: StyledRun[] = [];
  let start = 0;
  for (const { text, style } of runs) {
    const part = text.slice(Math.max(0, from - start), Math.max(0, to - start));
    if (part !== "") slice.push({ text: part, style });
    start += text.length;
  }
  return slice;
}
