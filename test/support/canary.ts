import { randomInt } from "node:crypto";

/** Nothing shorter can be told from chance. */
const PIECE_LENGTH = 8;

/** Small letters and digits only: where case is folded, they stay as they are. */
const LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789";

/** A secret that nothing else contains. */
export const newCanary = (): string =>
  Array.from({ length: 24 }, () => LETTERS.charAt(randomInt(LETTERS.length))).join("");

/** The secrets of which there is a trace in some bytes or text. */
export function tracedIn(canaries: readonly string[], found: Uint8Array | string): string[] {
  const traces = new Map(
    canaries.flatMap((canary) => tracesOf(canary).map((trace) => [trace, canary] as const)),
  );
  // By their beginnings, so that a long text is looked through once, however many there are.
  const text = Buffer.from(found).toString("latin1");
  const beginnings = Map.groupBy(traces.keys(), (trace) => trace.slice(0, PIECE_LENGTH));
  const traced = new Set<string>();
  for (let at = 0; at + PIECE_LENGTH <= text.length; at++) {
    for (const trace of beginnings.get(text.slice(at, at + PIECE_LENGTH)) ?? []) {
      if (text.startsWith(trace, at)) traced.add(traces.get(trace) ?? "");
    }
  }
  return canaries.filter((canary) => traced.has(canary));
}

/** Every form in which a piece of a secret could be somewhere, one character per byte. */
function tracesOf(canary: string): string[] {
  const pieces = piecesOf(canary, PIECE_LENGTH);
  const hex = pieces.map((piece) => Buffer.from(piece).toString("hex"));
  return [
    ...pieces,
    ...piecesOf(Array.from(canary).toReversed().join(""), PIECE_LENGTH),
    // Without its last zero, UTF-16 is found in either byte order.
    ...pieces.map((piece) => Buffer.from(piece, "utf16le").toString("latin1").slice(0, -1)),
    ...hex,
    ...hex.map((text) => text.toUpperCase()),
    // Three bytes make four characters, so that one of the pieces of nine is found wherever it stands.
    ...piecesOf(canary, 9).map((piece) => Buffer.from(piece).toString("base64")),
  ];
}

const piecesOf = (text: string, length: number): string[] =>
  Array.from({ length: text.length - length + 1 }, (_, at) => text.slice(at, at + length));
