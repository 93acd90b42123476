// Styles as other formats spell them.
import type { CellStyle } from "./cell.ts";
import { DEFAULT_BACKGROUND, DEFAULT_FOREGROUND, paletteColor } from "./palette.ts";
import { BG, COLOR, FG } from "./xterm-internals.ts";

/** What a style has besides colours. */
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

/** What a style has besides colours, by name. */
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

/** A colour as the program chose it: a number of the palette, `#rrggbb`, or nothing. */
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

/** The colours that are really seen, as `#rrggbb`; no ground where it is that of the screen. */
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
      return paletteColor(value & 0xff);
  }
}

/** A colour as CSS. */
export const formatHexColor = (color: number): string => `#${color.toString(16).padStart(6, "0")}`;

/** Controls, lone surrogates, and characters that show text in another order than it has. */
const UNSAFE_CHARACTERS =
  /[\p{Cc}\p{Cs}\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069\ufffe\uffff]/gu;

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** Text that is only text wherever it stands in a document. */
export const escapeMarkup = (text: string): string =>
  text
    .replace(UNSAFE_CHARACTERS, "\ufffd")
    .replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character);

/** How text of a style is decorated, as CSS; nothing where it is not. */
export function formatTextDecoration({ fg, bg, underline }: CellStyle): string {
  const lines = [
    underline > 0 ? "underline" : "",
    fg & FG.strike ? "line-through" : "",
    bg & BG.overline ? "overline" : "",
  ];
  return lines.filter((line) => line !== "").join(" ");
}
