// What need not be drawn of a flood: lines that are gone before anybody can look at them.

/** Less is drawn as fast as it is looked at. */
const MIN_SKIPPED_BYTES = 4 * 1024;

const TAB = 0x09;
const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const ESCAPE = 0x1b;
const SPACE = 0x20;
const ZERO = 0x30;
/** Behind the digits and the colon. */
const SEMICOLON = 0x3b;
const BRACKET = 0x5b;
const LETTER_M = 0x6d;
const DELETE = 0x7f;

/** The first byte of control characters from U+0080 on, and of some letters; the second says which. */
const C1_LEAD = 0xc2;
const C1_LAST = 0x9f;

const SGR_RESETS = ["\u001b[m", "\u001b[0m"];

/** What output is made of, as far as it pushes lines out of a screen. */
export interface PlainLines {
  /** The lines that end before anything but letters and looks. */
  readonly lines: number;
  /** Whether there is nothing else. */
  readonly isPlain: boolean;
}

export function countPlainLines(bytes: Uint8Array<ArrayBuffer>): PlainLines {
  const { lines, end } = scanPlain(bytes);
  return { lines, isPlain: end === bytes.byteLength };
}

/** The screen that output is for. */
export interface ScrollTarget {
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
export function dropScrolledOut(
  bytes: Uint8Array<ArrayBuffer>,
  { rows, lines, followed }: ScrollTarget,
): Uint8Array<ArrayBuffer> {
  const most = findLastLines(bytes, Math.max(0, lines - followed));
  if (most < MIN_SKIPPED_BYTES) return bytes;
  // Only plain lines are sure to push others out: those behind anything else may stand still.
  const plain = followed > 0 ? bytes : bytes.subarray(0, scanPlain(bytes).end);
  const cut = plain === bytes ? most : findLastLines(plain, lines);
  if (cut < MIN_SKIPPED_BYTES) return bytes;
  const looks = collectLastSgr(bytes.subarray(0, cut));
  const start = Buffer.from(looks + "\r\n".repeat(rows), "latin1");
  const kept = new Uint8Array(start.byteLength + bytes.byteLength - cut);
  kept.set(start);
  kept.set(bytes.subarray(cut), start.byteLength);
  return kept;
}

/** Up to where output only writes letters and chooses their looks, and how many lines end before. Looking four bytes at a time is faster here than a native search for each of what it must not be. */
function scanPlain({ buffer, byteOffset, length }: Uint8Array<ArrayBuffer>): {
  readonly end: number;
  readonly lines: number;
} {
  const bytes = new Uint8Array(buffer);
  const words = new Int32Array(buffer, 0, buffer.byteLength >> 2);
  const end = byteOffset + length;
  const endWord = end >> 2;
  let lines = 0;
  let at = byteOffset;
  while (at < end) {
    if ((at & 3) === 0) {
      at = findAsciiEnd(words, at >> 2, endWord) << 2;
      if (at >= end) break;
    }
    const byte = bytes[at]!;
    if (byte >= SPACE && byte < DELETE) at++;
    else if (byte === LINE_FEED) {
      lines++;
      at++;
    } else if (byte === ESCAPE) {
      const behind = findSgrEnd(bytes, at, end);
      if (behind === undefined) break;
      at = behind;
    } else if (isPlain(byte, at + 1 < end ? bytes[at + 1]! : undefined)) at++;
    else break;
  }
  return { end: at - byteOffset, lines };
}

/** The first of some words in which a byte is no ASCII letter: below 0x20 subtracting, at 0x7f adding, and above by itself it sets the highest bit of its byte, or of one beside it. */
function findAsciiEnd(words: Int32Array, from: number, end: number): number {
  let at = from;
  while (at < end) {
    const word = words[at]!;
    if (((word - 0x20202020) | (word + 0x01010101) | word) & 0x80808080) break;
    at++;
  }
  return at;
}

/** Whether a byte that is no ASCII letter only writes something, or goes on to another line or column. */
function isPlain(byte: number, next: number | undefined): boolean {
  if (byte < SPACE) return byte === LINE_FEED || byte === CARRIAGE_RETURN || byte === TAB;
  return byte !== DELETE && (byte !== C1_LEAD || (next !== undefined && next > C1_LAST));
}

/** Where a sequence ends that only chooses looks; nothing when it does something else or is not all there. */
function findSgrEnd(bytes: Uint8Array, start: number, end: number): number | undefined {
  if (start + 1 >= end || bytes[start + 1] !== BRACKET) return undefined;
  let at = start + 2;
  while (at < end && bytes[at]! >= ZERO && bytes[at]! <= SEMICOLON) at++;
  return at < end && bytes[at] === LETTER_M ? at + 1 : undefined;
}

/** The looks that plain output has chosen at its end: those behind the last that took all others back, and that one. */
function collectLastSgr(bytes: Uint8Array<ArrayBuffer>): string {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const looks: string[] = [];
  for (let end = buffer.length; end > 0;) {
    const at = buffer.lastIndexOf(ESCAPE, end - 1);
    if (at < 0) break;
    looks.push(buffer.toString("latin1", at, findSgrEnd(bytes, at, bytes.length)));
    if (SGR_RESETS.includes(looks.at(-1)!)) break;
    end = at;
  }
  return looks.toReversed().join("");
}

/** Where the last so many lines begin, behind the end of a line that also goes back to the first column; 0 when there are not as many. */
function findLastLines(bytes: Uint8Array<ArrayBuffer>, lines: number): number {
  let at = bytes.byteLength;
  for (let count = 0; at > 0; count++) {
    at = bytes.lastIndexOf(LINE_FEED, at - 1);
    if (at < 1) return 0;
    if (count >= lines && bytes[at - 1] === CARRIAGE_RETURN) return at + 1;
  }
  return 0;
}
