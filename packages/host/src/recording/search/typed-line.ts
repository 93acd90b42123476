/** What is typed key by key becomes the line that was meant; more than this is no line any more. */
const MAX_TYPED_LENGTH = 4096;

/** A line that is being typed. */
export interface OpenInputLine {
  readonly text: string;
  /** The entry with its first key, and when that was. */
  readonly first: number;
  readonly at: number;
}

// oxlint-disable no-control-regex -- these expressions are about keys that are control characters
const KEY_SEQUENCE = new RegExp("\\u001b(?:\\[[0-9;?<>=]*[ -/]*[@-~]|O.|[ -~])?", "gu");
const CONTROLS = new RegExp("[\\u0000-\\u001f\\u007f-\\u009f]+", "gu");
// oxlint-enable no-control-regex

const ERASING = new Set(["\u007f", "\b"]);

/** Text as one line: what would move a cursor becomes a blank. */
export const toSingleLine = (text: string): string => text.replaceAll(CONTROLS, " ").trim();

/** What a person meant to type: without keys that are not text, and without what was erased again. */
export function applyLineEditing(typed: string): string {
  const kept: string[] = [];
  for (const character of typed.slice(0, MAX_TYPED_LENGTH).replaceAll(KEY_SEQUENCE, "")) {
    if (ERASING.has(character)) kept.pop();
    else kept.push(character);
  }
  return toSingleLine(kept.join(""));
}

/** Tells whether a line is complete: it was ended, or became too long. */
export const isLineComplete = (text: string): boolean =>
  /[\r\n]/.test(text) || text.length >= MAX_TYPED_LENGTH;
