// Skips the part of a flood that scrolls out before anybody can see it.

/** Less output is drawn as fast as it is scanned. */
const MIN_SKIPPED_BYTES = 4 * 1024;

const TAB = 0x09;
const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const ESCAPE = 0x1b;
const SPACE = 0x20;
const ZERO = 0x30;
/** The last byte of the parameter range 0-9 : ;. */
const SEMICOLON = 0x3b;
const BRACKET = 0x5b;
const LETTER_M = 0x6d;
const DELETE = 0x7f;

/** First UTF-8 byte of C1 controls and some characters; the second tells which. */
const C1_LEAD = 0xc2;
const C1_LAST = 0x9f;

const SGR_RESETS = ["\u001b[m", "\u001b[0m"];

export interface PlainLines {
  /** Lines before anything but text and SGR. */
  readonly lines: number;
  /** Contains only text and SGR. */
  readonly isPlain: boolean;
}

export function countPlainLines(bytes: Uint8Array<ArrayBuffer>): PlainLines {
  const { lines, end } = scanPlain(bytes);
  return { lines, isPlain: end === bytes.byteLength };
}

export interface ScrollTarget {
  readonly rows: number;
  /** Rows and scrollback. */
  readonly lines: number;
  /** Plain lines that follow this plain output. */
  readonly followed: number;
}

/**
 * Shorter output with the same effect on a screen. Where the last lines push everything else out of a screen with so
 * many lines, only the SGR state and the line end at the bottom remain of the rest. Lines in later output push as well.
 * Returns the same bytes where that does not hold. The screen must scroll as a whole, and no sequence may be open.
 */
export function dropScrolledOut(
  bytes: Uint8Array<ArrayBuffer>,
  { rows, lines, followed }: ScrollTarget,
): Uint8Array<ArrayBuffer> {
  const most = findLastLines(bytes, Math.max(0, lines - followed));
  if (most < MIN_SKIPPED_BYTES) return bytes;
  // Only plain lines are certain to scroll; after anything else the screen may stand still.
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

/**
 * Where plain text and SGR end, and how many lines end before that. Four bytes at a time is faster here than a native
 * search per forbidden byte.
 */
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

/**
 * First word with a byte outside printable ASCII. Subtracting 0x20, adding 1 (for 0x7f) and the byte itself each set
 * its high bit, or that of a neighbour.
 */
function findAsciiEnd(words: Int32Array, from: number, end: number): number {
  let at = from;
  while (at < end) {
    const word = words[at]!;
    if (((word - 0x20202020) | (word + 0x01010101) | word) & 0x80808080) break;
    at++;
  }
  return at;
}

/** Whether a byte outside printable ASCII only prints, or moves to another line or column. */
function isPlain(byte: number, next: number | undefined): boolean {
  if (byte < SPACE) return byte === LINE_FEED || byte === CARRIAGE_RETURN || byte === TAB;
  return byte !== DELETE && (byte !== C1_LEAD || (next !== undefined && next > C1_LAST));
}

/** End of an SGR sequence; undefined for any other or an incomplete one. */
function findSgrEnd(bytes: Uint8Array, start: number, end: number): number | undefined {
  if (start + 1 >= end || bytes[start + 1] !== BRACKET) return undefined;
  let at = start + 2;
  while (at < end && bytes[at]! >= ZERO && bytes[at]! <= SEMICOLON) at++;
  return at < end && bytes[at] === LETTER_M ? at + 1 : undefined;
}

/** The SGR state at the end of plain output: everything from the last reset on. */
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

/** Start of the last `lines` lines, after a line end that includes a carriage return; 0 when there are fewer. */
function findLastLines(bytes: Uint8Array<ArrayBuffer>, lines: number): number {
  let at = bytes.byteLength;
  for (let count = 0; at > 0; count++) {
    at = bytes.lastIndexOf(LINE_FEED, at - 1);
    if (at < 1) return 0;
    if (count >= lines && bytes[at - 1] === CARRIAGE_RETURN) return at + 1;
  }
  return 0;
}
