/** Whether a person sees nothing of a text. */
export function isBlank(text: string): boolean {
  return !isSurelyVisible(text.charCodeAt(0)) && text.trim() === "";
}

/** Removes blanks at the end. */
export function withoutTrailingBlanks(text: string): string {
  return isSurelyVisible(text.charCodeAt(text.length - 1)) ? text : text.trimEnd();
}

/** How many units at the beginning are blanks. */
export function countLeadingBlanks(text: string): number {
  return isSurelyVisible(text.charCodeAt(0)) ? 0 : text.length - text.trimStart().length;
}

/** Looking at one character is much cheaper than trimming, and most texts begin and end with a visible one. */
function isSurelyVisible(unit: number): boolean {
  return unit > 0x20 && unit < 0xa0;
}
