// What need not be drawn of a flood: lines that are gone before anybody can look at them.

/** Less is drawn as fast as it is looked at. */
const MIN_SKIPPED_BYTES = 4 * 1024;

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;

/** Control characters that are neither white space nor the beginning of a sequence. */
// oxlint-disable-next-line no-control-regex
const CONTROL = /[^\t\n\r\x1b-\x7e\x80-\xff]/;

/** What begins like a control character from U+0080 on, which is two bytes, and may be one. */
const CONTROL_OF_TWO = /\xc2(?:[\x80-\x9f]|$)/y;

// oxlint-disable-next-line no-control-regex
const LOOKS = /\x1b\[[\d;:]*m/g;

// oxlint-disable-next-line no-control-regex
const LOOK = /\x1b\[[\d;:]*m/y;

const RESETS = ["\u001b[m", "\u001b[0m"];

/** What output is made of, as far as it pushes lines out of a screen. */
export interface PlainLines {
  /** The lines that end before anything but letters and looks. */
  readonly lines: number;
  /** Whether there is nothing else. */
  readonly isPlain: boolean;
}

export function plainLinesOf(bytes: Uint8Array<ArrayBuffer>): PlainLines {
  const text = textOf(bytes);
  const special = findSpecial(text);
  const end = special < 0 ? text.length : special;
  let lines = 0;
  for (let at = text.indexOf("\n"); at >= 0 && at < end; at = text.indexOf("\n", at + 1)) lines++;
  return { lines, isPlain: special < 0 };
}

/** The screen that output is for. */
export interface Skimmed {
  readonly rows: number;
  /** All it can show, with what has scrolled out. */
  readonly lines: number;
  /** How many plain lines come right behind the output, which is plain itself. */
  readonly followed: number;
}

/**
 * Output that makes the same of a screen as the given one, and is shorter: where the last lines push everything before
 * them out of a screen with so many lines, all that is left of the rest is the looks it chose, and the line it ended at
 * the bottom. Lines that follow in other output push as well. The same bytes where that is not so. The screen has to scroll as a whole, and no sequence may be open.
 */
export function skim(
  bytes: Uint8Array<ArrayBuffer>,
  { rows, lines, followed }: Skimmed,
): Uint8Array<ArrayBuffer> {
  const most = startOfLast(bytes, Math.max(0, lines - followed));
  if (most < MIN_SKIPPED_BYTES) return bytes;
  const text = textOf(bytes);
  const special = followed > 0 ? -1 : findSpecial(text);
  // Only plain lines are sure to push others out: those behind anything else may stand still.
  const cut = special < 0 ? most : startOfLast(bytes.subarray(0, special), lines);
  if (cut < MIN_SKIPPED_BYTES) return bytes;
  const skipped = text.slice(0, cut);
  const reset = Math.max(...RESETS.map((text) => skipped.lastIndexOf(text)));
  const looks = skipped.slice(Math.max(0, reset)).match(LOOKS) ?? [];
  const start = Buffer.from(looks.join("") + "\r\n".repeat(rows), "latin1");
  const kept = new Uint8Array(start.byteLength + bytes.byteLength - cut);
  kept.set(start);
  kept.set(bytes.subarray(cut), start.byteLength);
  return kept;
}

/** Where the first thing is that does more than write letters and choose their looks; -1 when there is none. Each search is one that is fast by itself. */
function findSpecial(text: string): number {
  const control = text.search(CONTROL);
  let end = control < 0 ? text.length : control;
  for (let at = text.indexOf("\u001b"); at >= 0 && at < end;) {
    if (!isAt(LOOK, text, at)) end = at;
    at = text.indexOf("\u001b", at + 1);
  }
  for (let at = text.indexOf("\u00c2"); at >= 0 && at < end;) {
    if (isAt(CONTROL_OF_TWO, text, at)) end = at;
    at = text.indexOf("\u00c2", at + 1);
  }
  return end === text.length ? -1 : end;
}

function isAt(sticky: RegExp, text: string, at: number): boolean {
  sticky.lastIndex = at;
  return sticky.test(text);
}

const textOf = (bytes: Uint8Array<ArrayBuffer>): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("latin1");

/** Where the last so many lines begin, behind the end of a line that also goes back to the first column; 0 when there are not as many. */
function startOfLast(bytes: Uint8Array<ArrayBuffer>, lines: number): number {
  let at = bytes.byteLength;
  for (let count = 0; at > 0; count++) {
    at = bytes.lastIndexOf(LINE_FEED, at - 1);
    if (at < 1) return 0;
    if (count >= lines && bytes[at - 1] === CARRIAGE_RETURN) return at + 1;
  }
  return 0;
}
