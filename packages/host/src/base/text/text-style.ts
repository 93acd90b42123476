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

const COLOR_TARGETS = new Map<number, "fg" | "bg" | "line">([
  [38, "fg"],
  [48, "bg"],
  [58, "line"],
]);

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

/** SGR in its semicolon and its colon form. */
export function selectGraphicRendition(style: TextStyle, csi: Csi): TextStyle {
  let result = style;
  for (let at = 0; at < csi.length;) {
    const end = csi.endOfGroup(at);
    const code = csi.number(at, 0);
    const target = COLOR_TARGETS.get(code);
    if (target) {
      const isGroup = end > at + 1;
      const length = isGroup ? end - at : lengthOfColor(csi, at);
      const color = readColor(csi, at + 1, isGroup && length > 5 ? 1 : 0);
      if (color !== undefined && target !== "line") result = { ...result, [target]: color };
      at += length;
      continue;
    }
    const isOff = code === 4 && end > at + 1 && csi.number(at + 1, 1) === 0;
    result = CHANGES.get(isOff ? 24 : code)?.(result) ?? result;
    at = end;
  }
  return result;
}

/** Parameters of a colour in the semicolon form, including the introducer. */
function lengthOfColor(csi: Csi, at: number): number {
  const kind = csi.number(at + 1, 0);
  if (kind === 2) return 5;
  return kind === 5 ? 3 : 2;
}

/** The full colon form has a colour space between kind and colour. */
function readColor(csi: Csi, at: number, skipped: number): Color | undefined {
  const kind = csi.number(at, 0);
  const first = at + 1 + (kind === 2 ? skipped : 0);
  if (kind === 5) return byteOf(csi, first);
  if (kind !== 2) return undefined;
  const parts = [byteOf(csi, first), byteOf(csi, first + 1), byteOf(csi, first + 2)];
  return `#${parts.map((part) => part.toString(16).padStart(2, "0")).join("")}`;
}

function byteOf(csi: Csi, at: number): number {
  return Math.min(csi.number(at, 0), 255);
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
