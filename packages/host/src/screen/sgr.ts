import type { CellStyle } from "./cell.ts";
import { BG, COLOR, FG } from "./xterm-internals.ts";

/** The numbers that set a style, whatever was set before. */
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

/** With colons, so that terminals that do not know it skip it as a whole. */
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
