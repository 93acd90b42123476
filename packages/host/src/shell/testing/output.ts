import fc from "fast-check";
import { MAX_ESCAPE_SEQUENCE_BYTES, MAX_MARKER_BYTES } from "../escape-sequence-scanner.ts";
import { MarkerNonces } from "../marker-nonces.ts";
import type { OutputParser, OutputPiece } from "../output-parser.ts";

/** Characters below 0x100 become one byte each. */
export const bytesOf = (text: string): Uint8Array<ArrayBuffer> =>
  new Uint8Array(Buffer.from(text, "latin1"));

export const textOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString("latin1");

export const utf8 = (text: string): string => Buffer.from(text).toString("latin1");

/** Parses a text in chunks that end at the given places, then flushes. */
export function parse(
  parser: OutputParser,
  text: string,
  ends: readonly number[] = [],
): OutputPiece[] {
  const places = [0, ...ends.toSorted((a, b) => a - b), text.length];
  const chunks = places.slice(1).map((end, index) => text.slice(places[index], end));
  return [...chunks.flatMap((chunk) => parser.push(bytesOf(chunk))), ...parser.flush()];
}

/** Joins the pieces up to each marker: the part that must not depend on chunking. */
export function summary(pieces: readonly OutputPiece[]): object[] {
  const parts: Part[] = [{ raw: "", view: "", drawn: "" }];
  for (const { raw, view, drawn, ...facts } of pieces) {
    const part = parts.at(-1) ?? { raw: "", view: "", drawn: "" };
    part.raw += textOf(raw);
    part.view += textOf(view);
    part.drawn += textOf(drawn);
    Object.assign(part, facts);
    if (facts.marker) parts.push({ raw: "", view: "", drawn: "" });
  }
  return parts.map(({ drawn, ...part }) => (drawn === part.view ? part : { ...part, drawn }));
}

interface Part {
  raw: string;
  view: string;
  drawn: string;
}

export const SECRET = "12345 -54321";

export const codePair = () => ({
  codes: new MarkerNonces(SECRET),
  shell: new MarkerNonces(SECRET),
});

export const ownMarker = (payload: string, code: string): string =>
  `\x1b]633;${payload};nacre=${code}\x07`;

const OWN_MARKERS = (() => {
  const { shell } = codePair();
  return Array.from({ length: 12 }, (_, index) =>
    ownMarker(["A", "B", "E;ls", "C", "D;0", "P;Cwd=/tmp"][index % 6] ?? "", shell.next()),
  );
})();

/** Parts of which output is made that parsers stumble over: bytes, words, and whole escape sequences. */
const FRAGMENTS = [
  Array.from("\x1b[]P_\\\x07\x18\x1a\0\n\x7f mH10;:?h"),
  ["12", "99999", "!p", "633;", "133;", "A", "E;a\\x3bb", "text", "\r\n", utf8("漢字"), utf8("é")],
  ["\xc2", "\x9b", "\x9c", "\x9d", "\x90", "\xe2", "\x82", "\xac", "\xf0\x9f", "\xff", "\xe0"],
  ["\x1b[31m", "\x1b[0m", "\x1b[?1049h", "\x1bc", "\x1bP1$r", "\x1b\\", "\x1b]2;title\x07"],
  ["\x1b]0;\x1b\\", "\x1b]7;file:///tmp\x07", "\x1b]633;", "\x1b]133;D;1", "\x1b]133;A\x07"],
  ["\x1b]633;D;0\x1b\\", "\x1b]633;B;nacre=1.1\x07"],
  OWN_MARKERS,
].flat();

export const hostileOutput = fc
  .array(fc.oneof({ weight: 9, arbitrary: fc.constantFrom(...FRAGMENTS) }, anyByte()), {
    maxLength: 60,
  })
  .map((fragments) => fragments.join(""));

/** Hostile output with an unfinished control that becomes too long to hold back. */
export const longOutput = fc
  .tuple(
    hostileOutput,
    fc.constantFrom("\x1b]2;", "\x1b[", "\x1bP", "\xc2\x9d", "\x1b]633;E;"),
    fc.constantFrom("7", "x", "\xe2", "\xc2\x9d", utf8("漢")),
    hostileOutput,
  )
  .chain(([before, opening, filler, after]) => {
    const isMarker = opening.includes("633");
    const heldBytes = fc.constantFrom(
      MAX_ESCAPE_SEQUENCE_BYTES,
      isMarker ? MAX_MARKER_BYTES : MAX_ESCAPE_SEQUENCE_BYTES,
    );
    return fc.tuple(heldBytes, fc.integer({ min: -46, max: 4 })).map(([bytes, more]) => {
      const count = filler === utf8("漢") && bytes > MAX_ESCAPE_SEQUENCE_BYTES ? bytes / 3 : bytes;
      return `${before}${opening}${filler.repeat(count + more)}${after}`;
    });
  });

export const cuts = (text: string) =>
  fc.array(fc.integer({ min: 0, max: text.length }), { maxLength: 12 });

function anyByte(): fc.Arbitrary<string> {
  return fc.integer({ min: 0, max: 255 }).map((byte) => String.fromCharCode(byte));
}
