/** What the characters from ` to ~ are in the line drawing set of a VT100. */
const SHAPES = "◆▒␉␌␍␊°±␤␋┘┐┌└┼⎺⎻─⎼⎽├┤┴┬│≤≥π≠£·";

const FIRST_SHAPE = 0x60;

/** Text as it looks while line drawing is on. */
export function toLineDrawing(text: string): string {
  return text.replace(/[`-~]/g, (letter) => SHAPES[letter.charCodeAt(0) - FIRST_SHAPE] ?? letter);
}
