/** What stands at a prompt, as far as the keys tell. */
export interface PromptLine {
  /** Text stands there that nobody has submitted. */
  readonly isOpen: boolean;
  /** A bracketed paste has begun and not ended. */
  readonly isPasting: boolean;
}

/** A prompt at which nothing was typed. */
export const EMPTY_LINE: PromptLine = { isOpen: false, isPasting: false };

/** A prompt at which text stands. */
export const OPEN_LINE: PromptLine = { isOpen: true, isPasting: false };

/** Keys and replies of terminals are shorter: more than this behind the last Enter has text in it. */
const MAX_KEYS_BYTES = 1024;

const PASTE_BEGINS = "\x1b[200~";
const PASTE_ENDS = "\x1b[201~";

/** Enter as CR or LF, Ctrl-C and Ctrl-U: nothing stands in the line after them. */
const CLEARING_KEYS = [0x0d, 0x0a, 0x03, 0x15];

/** Arrow up and page up, Ctrl-P, Ctrl-R, Ctrl-S and Ctrl-Y: they bring back what was typed before. */
// oxlint-disable-next-line no-control-regex -- these are the keys that are meant
const RECALL = /\x1b(?:O|\[[\d;]*)A|\x1b\[5~|[\x10\x12\x13\x19]/;

/** Sequences that insert nothing: keys, focus and mouse reports as CSI or SS3, and replies as OSC, DCS, SOS, PM or APC. */
const SEQUENCES =
  // oxlint-disable-next-line no-control-regex -- telling sequences from text is the purpose
  /\x1b(?:\[[0-?]*[ -/]*[@-~]|O[ -~]|[\]PX^_][^\x07\x1b]*(?:\x07|\x1b\\|$))/g;

/** Any character that is no control character; in Latin-1, each byte of a longer character is one. */
// oxlint-disable-next-line no-control-regex -- telling text from keys is the purpose
const TEXT = /[^\x00-\x1f\x7f]/;

/** What stands at the prompt once a line editor got this input. */
export function typeAtPrompt(before: PromptLine, input: Uint8Array): PromptLine {
  const bytes = Buffer.from(input.buffer, input.byteOffset, input.byteLength);
  if (bytes.byteLength === 0) return before;
  const begins = bytes.lastIndexOf(PASTE_BEGINS, undefined, "latin1");
  const ends = bytes.lastIndexOf(PASTE_ENDS, undefined, "latin1");
  const isPasting = begins === ends ? before.isPasting : begins > ends;
  if (isPasting) return { isOpen: true, isPasting };
  const typed = ends === -1 ? bytes : bytes.subarray(ends + PASTE_ENDS.length);
  const clearedAt = Math.max(...CLEARING_KEYS.map((key) => typed.lastIndexOf(key)));
  const wasOpen = clearedAt === -1 && (before.isOpen || ends !== -1);
  return { isOpen: wasOpen || hasText(typed.subarray(clearedAt + 1)), isPasting };
}

/** So much of the end of what was typed is compared: of a longer line, no more is kept of what was drawn. */
const MAX_COMPARED_LENGTH = 64;

/**
 * Whether a line editor drew what was typed before its prompt. It may draw the line anew for each key, and colours and
 * suggestions in between, so only the order of the letters counts.
 */
export function isDrawn(typed: string, drawn: string): boolean {
  const letters = Array.from(typed.replaceAll(/\s/g, "")).slice(-MAX_COMPARED_LENGTH);
  let from = 0;
  for (const letter of letters) {
    const at = drawn.indexOf(letter, from);
    if (at < 0) return false;
    from = at + letter.length;
  }
  return letters.length > 0;
}

function hasText(bytes: Buffer): boolean {
  if (bytes.byteLength > MAX_KEYS_BYTES) return true;
  const keys = bytes.toString("latin1");
  return RECALL.test(keys) || TEXT.test(keys.replace(SEQUENCES, ""));
}
