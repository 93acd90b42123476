// What need not be drawn of a flood: lines that are gone before anybody can look at them.

/** Less is drawn as fast as it is looked at. */
const MIN_SKIPPED_BYTES = 4 * 1024;

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;

/** Everything that does more than write letters and choose their looks. The control characters from U+0080 on are two bytes each. */
// oxlint-disable-next-line no-control-regex
const NOT_PLAIN = /[\0-\x08\x0b\x0c\x0e-\x1a\x1c-\x1f\x7f]|\xc2[\x80-\x9f]|\x1b(?!\[[\d;:]*m)/;

// oxlint-disable-next-line no-control-regex
const LOOKS = /\x1b\[[\d;:]*m/g;

const RESETS = ["\u001b[m", "\u001b[0m"];

/**
 * Output that makes the same of a screen as the given one, and is shorter: where the last lines push everything before
 * them out of a screen with so many lines, all that is left of the rest is the looks it chose, and the line it ended at
 * the bottom. The same bytes where that is not so. The screen has to scroll as a whole, and no sequence may be open.
 */
export function skim(
  bytes: Uint8Array<ArrayBuffer>,
  { rows, lines }: { readonly rows: number; readonly lines: number },
): Uint8Array<ArrayBuffer> {
  const most = startOfLast(bytes, lines);
  if (most < MIN_SKIPPED_BYTES) return bytes;
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("latin1");
  const special = text.search(NOT_PLAIN);
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
