/** What stands at a prompt, judged by the keys. */
export interface PromptLine {
  /** Unsubmitted text stands there. */
  readonly isOpen: boolean;
  /** Inside a bracketed paste. */
  readonly isPasting: boolean;
}

export const EMPTY_LINE: PromptLine = { isOpen: false, isPasting: false };

export const OPEN_LINE: PromptLine = { isOpen: true, isPasting: false };

/** Keys and terminal replies are shorter: more bytes than this after the last Enter contain text. */
const MAX_KEYS_BYTES = 1024;

const PASTE_BEGINS = "\x1b[200~";
const PASTE_ENDS = "\x1b[201~";

/** CR, LF, Ctrl-C and Ctrl-U leave an empty line. */
const CLEARING_KEYS = [0x0d, 0x0a, 0x03, 0x15];

/** Arrow up, page up, Ctrl-P, Ctrl-R, Ctrl-S and Ctrl-Y recall earlier text. */
// oxlint-disable-next-line no-control-regex -- these are the keys that are meant
const RECALL = /\x1b(?:O|\[[\d;]*)A|\x1b\[5~|[\x10\x12\x13\x19]/;

/** Sequences that insert nothing: keys, focus and mouse reports (CSI, SS3), and replies (OSC, DCS, SOS, PM, APC). */
const SEQUENCES =
  // oxlint-disable-next-line no-control-regex -- telling sequences from text is the purpose
  /\x1b(?:\[[0-?]*[ -/]*[@-~]|O[ -~]|[\]PX^_][^\x07\x1b]*(?:\x07|\x1b\\|$))/g;

/** Any non-control character; in Latin-1, each byte of a longer character matches. */
// oxlint-disable-next-line no-control-regex -- telling text from keys is the purpose
const TEXT = /[^\x00-\x1f\x7f]/;

/** The prompt after a line editor received this input. */
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

/** Longer lines are compared by their end; no more of the drawn text is kept. */
const MAX_COMPARED_LENGTH = 64;

/**
 * Whether a line editor drew text typed ahead. It may redraw the line for each key, with colours and suggestions in
 * between, so only the order of characters counts.
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
