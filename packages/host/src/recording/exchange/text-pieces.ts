/** How many characters are gathered before they are handed on: enough that the cost per piece does not count. */
const PIECE_LENGTH = 32 * 1024;

const utf8 = new TextEncoder();

/** Gathers texts into pieces of UTF-8 that are worth handing on; a piece can be transferred to another thread. */
export function* encodePieces(texts: Iterable<string>): Generator<Uint8Array<ArrayBuffer>> {
  let gathered = "";
  for (const text of texts) {
    gathered += text;
    if (gathered.length < PIECE_LENGTH) continue;
    yield utf8.encode(gathered);
    gathered = "";
  }
  if (gathered !== "") yield utf8.encode(gathered);
}
