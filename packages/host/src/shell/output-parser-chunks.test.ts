// However output arrives, the same comes out of the parser; and it can be had again from what was recorded.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { MAX_ESCAPE_SEQUENCE_BYTES, MAX_MARKER_BYTES } from "./escape-sequence-scanner.ts";
import { MarkerNonces } from "./marker-nonces.ts";
import { OutputParser, type OutputPiece } from "./output-parser.ts";
import { EmulatorInputFilter } from "./emulator-input-filter.ts";
import { stripMarkers } from "./strip-markers.ts";
import {
  bytesOf,
  cuts,
  hostileOutput,
  longOutput,
  parse,
  SECRET,
  summary,
  textOf,
  utf8,
} from "./testing/output.ts";

const newParser = () => new OutputParser({ nonces: new MarkerNonces(SECRET), trustForeign: true });

const CODES = (() => {
  const shell = new MarkerNonces(SECRET);
  return Array.from({ length: 9 }, () => shell.next());
})();

const CORPUS = [
  utf8("plain text, 漢字, é, 😀\r\n"),
  "\x1b[01;34mdir\x1b[0m  \x1b[38;5;200mx\x1b[m\x1b[123456;7H",
  `\x1b]633;A;nacre=${CODES[0]}\x07$ \x1b]633;B;nacre=${CODES[1]}\x1b\\ls\r\n\x1b]633;E;ls;nacre=${CODES[2]}\xc2\x9c`,
  `\xc2\x9d633;C;nacre=${CODES[3]}\xc2\x9c\x1b]633;D;0;nacre=1.2.3\x07out\xc2\x9d633;D;0;nacre=${CODES[4]}\x07`,
  "\x1b]133;A\x07\x1b]133;C;cmdline_url=ls\x1b\\\x1b]133;D;1\x1b[m\x1b]133;P;k=s\x07",
  "\x1b]0;title\x07\x1b]2;other\x1b\\\x1b]7;file:///tmp\x07\x1b]1337;CurrentDir=/x\x07",
  "\x1b[?1049h\x1b[?2004h\x1b=\x1b(B\x1b[?25l\x1bc\x1b[!p",
  `\x1b]2;a\x1b]633;A\x07b\x1b[31\x1b]633;A\x07m\xe2\x82\x1b]633;A\x07\xac\x1b\x1b]633;B\x07]633;C\x07`,
  `\x1b]633;A\x18\x1b[1\x1a\x1bP1$r0m\x1b\\\x1b_app\xc2\x9c\x1b\x00[9\n99999L\x1b\xff]633;A\x07`,
  "\xff\xfe\x9d\x9d\x9c\x80\xc2\xc2\x9b99999m\xe2\x9d\x9d\xf0\x9f\x98",
].join("");

test("the corpus gives the same when it is cut anywhere", () => {
  const parser = newParser();
  const whole = summary(parse(parser, CORPUS));
  expect(whole.filter((part) => "marker" in part)).toHaveLength(13);
  for (let at = 0; at <= CORPUS.length; at++) {
    const cut = newParser();
    expect(summary(parse(cut, CORPUS, [at]))).toEqual(whole);
    expect(cut.modes).toEqual(parser.modes);
  }
});

test("the corpus gives the same byte by byte", () => {
  const everywhere = Array.from({ length: CORPUS.length }, (_, at) => at);
  expect(summary(parse(newParser(), CORPUS, everywhere))).toEqual(
    summary(parse(newParser(), CORPUS)),
  );
});

describe.each([
  ["hostile", hostileOutput],
  ["long", longOutput],
] as const)("%s output", (_kind, output) => {
  const cutOutput = output.chain((text) => fc.tuple(fc.constant(text), cuts(text)));

  test("gives the same however it arrives", () => {
    fc.assert(
      fc.property(cutOutput, ([text, ends]) => {
        const [whole, cut] = [newParser(), newParser()];
        const pieces = parse(whole, text);
        expect(summary(parse(cut, text, ends))).toEqual(summary(pieces));
        expect(pieces.map(({ raw }) => textOf(raw)).join("")).toBe(text);
        expect(cut.modes).toEqual(whole.modes);
        expect(cut.isGround).toBe(whole.isGround);
      }),
      { numRuns: 2000 },
    );
  });

  test("never holds back more than 64 KiB, and more than 4 KiB only of a marker", () => {
    fc.assert(
      fc.property(cutOutput, ([text, ends]) => {
        const parser = newParser();
        const places = [0, ...ends.toSorted((a, b) => a - b), text.length];
        for (const [index, end] of places.slice(1).entries()) {
          parser.push(bytesOf(text.slice(places[index], end)));
          const mayHoldMarker = /[16][^ -~]*3[^ -~]*3/.test(text);
          const maxBytes = mayHoldMarker ? MAX_MARKER_BYTES : MAX_ESCAPE_SEQUENCE_BYTES;
          expect(parser.heldBytes).toBeLessThanOrEqual(maxBytes);
        }
      }),
    );
  });

  test("is shown in a replay of what was recorded as it was shown when it was new", () => {
    fc.assert(
      fc.property(cutOutput, fc.array(fc.boolean()), ([text, ends], flushes) => {
        const pieces = withFlushes(text, ends, flushes);
        const screen = new EmulatorInputFilter();
        const replayed = pieces.map(({ raw }) => textOf(screen.push(raw)));
        expect(replayed).toEqual(pieces.map((piece) => textOf(piece.drawn)));
        const shown = pieces.map(({ raw }) => textOf(stripMarkers(raw)));
        expect(shown).toEqual(pieces.map((piece) => textOf(piece.view)));
      }),
      { numRuns: 2000 },
    );
  });
});

test("output that others recorded and cut anywhere is shown as they wrote it", () => {
  const text = `red \x1b[31mtext\x1b[0m ${utf8("é")} \x1b]2;title\x07more \x1b(B`;
  for (let at = 1; at < text.length; at++) {
    const parts = [text.slice(0, at), text.slice(at)];
    const screen = new EmulatorInputFilter();
    expect(parts.map((part) => textOf(screen.push(bytesOf(part)))).join("")).toBe(text);
    expect(parts.map((part) => textOf(stripMarkers(bytesOf(part)))).join("")).toBe(text);
  }
});

/** Parses chunk by chunk and releases what is held after some of them, as the clock would. */
function withFlushes(
  text: string,
  ends: readonly number[],
  flushes: readonly boolean[],
): OutputPiece[] {
  const parser = newParser();
  const places = [0, ...ends.toSorted((a, b) => a - b), text.length];
  return places.slice(1).flatMap((end, index) => {
    const pieces = parser.push(bytesOf(text.slice(places[index], end)));
    return flushes[index] === true ? [...pieces, ...parser.flush()] : pieces;
  });
}

describe("floods", () => {
  const MEGABYTE = 1024 * 1024;
  test.each([
    ["ESC ]", "\x1b]"],
    ["ESC", "\x1b"],
    ["digits", "7"],
    ["control sequences", "\x1b[7"],
    ["strings that never end", `\x1b]2;${"x".repeat(5000)}`],
    ["8-bit openings", "\x9d"],
    ["openings in UTF-8", "\xc2\x9d"],
    ["beginnings of code points", "\xe2"],
    ["markers without a code", "\x1b]633;D;0\x07"],
    ["markers with a bad code", "\x1b]633;D;0;nacre=1.2\x07x"],
    ["titles", "\x1b]2;x\x07"],
  ])("%s end few pieces and are held back no further", (_name, unit) => {
    const parser = newParser();
    const bytes = new Uint8Array(Buffer.alloc(MEGABYTE, unit, "latin1"));
    const pieces = [...parser.push(bytes), ...parser.push(bytesOf("\x1b[" + "7".repeat(9000)))];
    expect(parser.heldBytes).toBeLessThanOrEqual(MAX_ESCAPE_SEQUENCE_BYTES);
    expect(pieces.length).toBeLessThanOrEqual(64 + 2);
    const total = pieces.reduce((sum, { raw }) => sum + raw.byteLength, parser.heldBytes);
    expect(total).toBe(MEGABYTE + 9002);
  });
});
