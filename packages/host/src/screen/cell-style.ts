import { formatHexColor, paletteColor } from "../base/palette.ts";
import type { CellStyle } from "./cell.ts";
import { BG, COLOR, FG } from "./xterm-internals.ts";

/** The theme of rendered screens, also reported to programs that ask. */
const ANSI_COLORS = [
  0x2a2f3a, 0xd9525b, 0x6fb84a, 0xd3a63a, 0x4f95e8, 0xb277d8, 0x3fb5bd, 0xc5ccd6, 0x6b7484,
  0xff7a82, 0x9be075, 0xffd05e, 0x82bcff, 0xd7a4f6, 0x77e2e7, 0xffffff,
];

export const DEFAULT_FOREGROUND = 0xd9dee6;

export const DEFAULT_BACKGROUND = 0x11141a;

export const themeColor = (index: number): number => ANSI_COLORS[index] ?? paletteColor(index);

export type Attribute =
  | "bold"
  | "dim"
  | "italic"
  | "underline"
  | "blink"
  | "inverse"
  | "hidden"
  | "strikethrough"
  | "overline";

export function listAttributes({ fg, bg, underline }: CellStyle): readonly Attribute[] {
  const names: Attribute[] = [];
  if (fg & FG.bold) names.push("bold");
  if (bg & BG.dim) names.push("dim");
  if (bg & BG.italic) names.push("italic");
  if (underline > 0) names.push("underline");
  if (fg & FG.blink) names.push("blink");
  if (fg & FG.inverse) names.push("inverse");
  if (fg & FG.invisible) names.push("hidden");
  if (fg & FG.strike) names.push("strikethrough");
  if (bg & BG.overline) names.push("overline");
  return names;
}

/** The colour as chosen: a palette index, `#rrggbb`, or undefined for the default. */
export function formatColor(value: number): number | string | undefined {
  switch (value & COLOR.mode) {
    case 0:
      return undefined;
    case COLOR.rgb:
      return formatHexColor(value & COLOR.value);
    default:
      return value & 0xff;
  }
}

/** Effective colours as `#rrggbb`, after inverse and dim; ground is undefined where it is the default. */
export function resolveColors({ fg, bg }: CellStyle): { text: string; ground: string | undefined } {
  const text = resolveColor(fg, DEFAULT_FOREGROUND);
  const ground = resolveColor(bg, DEFAULT_BACKGROUND);
  const [ink, paper] = fg & FG.inverse ? [ground, text] : [text, ground];
  return {
    text: formatHexColor(ink),
    ground: paper === DEFAULT_BACKGROUND ? undefined : formatHexColor(paper),
  };
}

function resolveColor(value: number, otherwise: number): number {
  switch (value & COLOR.mode) {
    case 0:
      return otherwise;
    case COLOR.rgb:
      return value & COLOR.value;
    default:
      return themeColor(value & 0xff);
  }
}

/** The CSS `text-decoration`; empty where there is none. */
export function formatTextDecoration({ fg, bg, underline }: CellStyle): string {
  const lines = [
    underline > 0 ? "underline" : "",
    fg & FG.strike ? "line-through" : "",
    bg & BG.overline ? "overline" : "",
  ];
  return lines.filter((line) => line !== "").join(" ");
}

/** SGR parameters that set a style regardless of the previous one. */
export function formatSgr({ fg, bg, underline, underlineColor }: CellStyle): string {
  const codes = ["0"];
  if (fg & FG.bold) codes.push("1");
  if (bg & BG.dim) codes.push("2");
  if (bg & BG.italic) codes.push("3");
  if (underline === 1) codes.push("4");
  if (underline > 1) codes.push(`4:${underline}`);
  if (fg & FG.blink) codes.push("5");
  if (fg & FG.inverse) codes.push("7");
  if (fg & FG.invisible) codes.push("8");
  if (fg & FG.strike) codes.push("9");
  if (bg & BG.overline) codes.push("53");
  codes.push(...colorCodes(fg, { named: 30, bright: 90, other: 38 }));
  codes.push(...colorCodes(bg, { named: 40, bright: 100, other: 48 }));
  codes.push(...underlineCodes(underlineColor));
  return `\u001b[${codes.length > 1 ? codes.join(";") : ""}m`;
}

function colorCodes(
  value: number,
  { named, bright, other }: { named: number; bright: number; other: number },
): readonly string[] {
  const index = value & 0xff;
  switch (value & COLOR.mode) {
    case COLOR.palette16:
      return [String(index < 8 ? named + index : bright + index - 8)];
    case COLOR.palette256:
      return [`${other};5;${index}`];
    case COLOR.rgb:
      return [`${other};2;${(value >> 16) & 0xff};${(value >> 8) & 0xff};${index}`];
    default:
      return [];
  }
}

/** With colons, so that terminals that do not know the parameter skip it whole. */
function underlineCodes(value: number): readonly string[] {
  const index = value & 0xff;
  switch (value & COLOR.mode) {
    case 0:
      return [];
    case COLOR.rgb:
      return [`58:2::${(value >> 16) & 0xff}:${(value >> 8) & 0xff}:${index}`];
    default:
      return [`58:5:${index}`];
  }
}
