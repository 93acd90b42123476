import { randomBytes } from "node:crypto";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { MAX_ESCAPE_SEQUENCE_BYTES, MAX_MARKER_BYTES } from "./escape-sequence-scanner.ts";
import { OutputParser } from "./output-parser.ts";
import { stripMarkers } from "./strip-markers.ts";
import {
  bytesOf,
  codePair,
  cuts,
  hostileOutput,
  longOutput,
  ownMarker,
  parse,
  textOf,
  utf8,
} from "./testing/output.ts";

const strip = (text: string): string => textOf(stripMarkers(bytesOf(text)));

/** What viewers get of output that arrives in parts. */
const shown = (text: string, ends: readonly number[] = []): string =>
  parse(new OutputParser({ nonces: codePair().codes }), text, ends)
    .map(({ view }) => textOf(view))
    .join("");

const BODIES = [
  "633;A",
  "633;E;ls -l;nacre=1.2.3",
  "133;D;0;aid=7",
  "633",
  "133",
  "633;Z",
  "0633;A",
  "6\x0033;A",
  "13\xff3;A",
];
const OPENINGS = ["\x1b]", "\xc2\x9d", "\x1b\0]", "\x1b\xff]"];
const ENDS = ["\x07", "\x1b\\", "\xc2\x9c", "\x18", "\x1a"];

const markers = BODIES.flatMap((body) =>
  OPENINGS.flatMap((opening) => ENDS.map((end) => `${opening}${body}${end}`)),
);

test.each(markers)("%j is left out", (marker) => {
  expect(strip(`a${marker}b`)).toBe("ab");
  expect(strip(`${marker}${marker}`)).toBe("");
});

test.each([
  "text",
  "\x1b]6330;A\x07",
  "\x1b]63;A\x07",
  "\x1b]x633;A\x07",
  "\x1b]2;633;A\x07",
  "\x1b]8;;http://a\x07",
  "\x1bP633;A\x1b\\",
  "\x1b[633;1m",
  "\xe2\x9d\x9d633;A\x07",
  "\x9d633;A\x07",
  "text\x1b[3",
  "text\x1b]0;ti",
  "text\x1b]63",
  "\x1bPq",
  "\x1b]2;a\x9ctext",
  utf8("\x1b[3漢text"),
  "\x1b[99999H",
  `\x1b]0;${"x".repeat(MAX_ESCAPE_SEQUENCE_BYTES)}\x07`,
  `\x1bP${"x".repeat(100_000)}\x1b\\`,
])("%j stays the very same", (text) => {
  const bytes = bytesOf(text);
  expect(stripMarkers(bytes)).toBe(bytes);
});

describe("S-F13: the view is the bytes without markers", () => {
  test.each(["a\x9dbc", "\x93quoted\x94 and \x9d\x9c in cp1252", "\x9d0;no title\x07text"])(
    "%j has a byte 0x9d and nothing is lost or held back",
    (text) => {
      const parser = new OutputParser();
      expect(parser.push(bytesOf(text)).map(({ view }) => textOf(view))).toEqual([text]);
      expect(parser.heldBytes).toBe(0);
    },
  );

  test("100 kB of random bytes stay 100 kB, in every order of arrival", () => {
    const random = randomBytes(100_000).toString("latin1");
    const ends = Array.from({ length: 40 }, (_, index) => index * 2503);
    // In 100 kB there is no OSC 133 or 633 by chance.
    expect(shown(random, ends) === random).toBe(true);
  });

  /** Bytes of all values, in which no OSC 133 or 633 begins by chance. */
  const noise = fc
    .uint8Array({ maxLength: 200 })
    .map((bytes) => textOf(bytes))
    .filter((text) => !/[13]/.test(text));
  const { shell } = codePair();
  const own = Array.from({ length: 4 }, () => ownMarker("A", shell.next()));
  const marker = fc.constantFrom(...own, ...markers.filter((text) => text.endsWith("\x07")));

  test("random bytes and markers come as the random bytes, in every split", () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(noise, marker), { maxLength: 6 }).chain((parts) => {
          const text = parts.map(([bytes, mark]) => bytes + mark).join("");
          return fc.tuple(fc.constant(parts), fc.constant(text), cuts(text));
        }),
        ([parts, text, ends]) => {
          const expected = parts.map(([bytes]) => bytes).join("");
          expect(shown(text, ends)).toBe(expected);
          const everywhere = Array.from({ length: text.length }, (_, at) => at);
          expect(shown(text, everywhere)).toBe(expected);
        },
      ),
      { numRuns: 300 },
    );
  });

  test.each([
    ["hostile", hostileOutput],
    ["long", longOutput],
  ] as const)("%s output loses nothing but markers, and gets nothing", (_kind, output) => {
    fc.assert(
      fc.property(output, (text) => {
        if (/[16]33/.test(text.replaceAll(/[^ -~]/g, ""))) return;
        expect(shown(text)).toBe(text);
      }),
      { numRuns: 500 },
    );
  });
});

describe("A-F8: no rest of an OSC 133 or 633 is shown", () => {
  test.each([
    ["is cancelled", "a\x1b]633;E;x\x18b", "ab"],
    ["is interrupted by a sequence", "a\x1b]633;E;x\x1b[1mb", "a\x1b[1mb"],
    ["is interrupted by another", "a\x1b]633;E;x\x1b]633;B\x07b", "ab"],
    ["is interrupted in UTF-8", "a\x1b]133;A\xc2\x9b1mb", "a\xc2\x9b1mb"],
    ["was not finished in time", "a\x1b]633;E;x", "a"],
  ])("one that %s", (_what, text, view) => {
    for (let at = 0; at <= text.length; at++) expect(shown(text, [at])).toBe(view);
  });

  const long = (length: number): string => `\x1b]633;E;${"x".repeat(length - 9)}\x07`;

  test("S-F13: one of more than 4 KiB is left out whole, however it arrives", () => {
    const marker = long(6000);
    for (const at of [1, 5, 100, 4095, 4096, 4097, 5000, 5999, 6000]) {
      expect(shown(`a${marker}b`, [at])).toBe("ab");
    }
    expect(shown(long(MAX_MARKER_BYTES))).toBe("");
  });

  test("S-F13: one of more than 64 KiB is left out as far as it is held back", () => {
    const text = long(MAX_MARKER_BYTES + 1000);
    for (const at of [1, 5, 4096, MAX_MARKER_BYTES - 1, MAX_MARKER_BYTES, MAX_MARKER_BYTES + 1]) {
      expect(shown(text, [at])).toBe(text.slice(MAX_MARKER_BYTES));
    }
  });

  test.each([
    ["hostile", hostileOutput],
    ["long", longOutput],
  ] as const)("nothing is left to strip in stripped %s output", (_kind, output) => {
    fc.assert(
      fc.property(
        output.chain((text) => fc.tuple(fc.constant(text), cuts(text))),
        ([text, ends]) => {
          for (const { view } of parse(new OutputParser(), text, ends)) {
            // oxlint-disable-next-line no-control-regex -- markers begin with these
            expect(textOf(view)).not.toMatch(/\x1b\]0*[16]33(?:;|$)/);
          }
        },
      ),
      { numRuns: 500 },
    );
  });
});
