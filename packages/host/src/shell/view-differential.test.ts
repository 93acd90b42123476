// The view against the terminal emulator that reads it: nothing dangerous gets through, and nothing else is lost.
import xterm from "@xterm/headless";
import fc from "fast-check";
import { expect, test } from "vitest";
import { MAX_STRING_BYTES } from "./sequence-limiter.ts";
import { OutputParser } from "./output-parser.ts";
import { bytesOf, cuts, hostileOutput, longOutput, parse } from "./testing/output.ts";

type Emulator = InstanceType<typeof xterm.Terminal>;

const newEmulator = (): Emulator =>
  new xterm.Terminal({
    cols: 40,
    rows: 10,
    allowProposedApi: true,
    scrollback: 500,
    logLevel: "off",
  });

const written = (emulator: Emulator, bytes: Uint8Array): Promise<void> =>
  new Promise((resolve) => emulator.write(bytes, resolve));

const characters = (first: number, last: number): string[] =>
  Array.from({ length: last - first + 1 }, (_, index) => String.fromCharCode(first + index));

/** Tells the largest number and the longest string that ever reach an emulator, which then acts on none of them. */
function watch(emulator: Emulator): { number: number; stringBytes: number; markers: number } {
  const seen = { number: 0, stringBytes: 0, markers: 0 };
  for (const prefix of ["", "<", "=", ">", "?"]) {
    for (const intermediates of ["", ...characters(0x20, 0x2f)]) {
      for (const final of characters(0x40, 0x7e)) {
        emulator.parser.registerCsiHandler({ prefix, intermediates, final }, (params) => {
          seen.number = Math.max(seen.number, ...params.flat());
          return true;
        });
      }
    }
  }
  for (const number of [0, 1, 2, 7, 52, 133, 633]) {
    emulator.parser.registerOscHandler(number, (text) => {
      seen.stringBytes = Math.max(seen.stringBytes, Buffer.byteLength(text));
      if (number === 133 || number === 633) seen.markers++;
      return true;
    });
  }
  return seen;
}

const output = fc.oneof(hostileOutput, longOutput);
const cutOutput = output.chain((text) => fc.tuple(fc.constant(text), cuts(text)));

test("no number above 9,999 and no marker reaches an emulator", async () => {
  const emulator = newEmulator();
  const seen = watch(emulator);
  await written(emulator, bytesOf("\x1b[12345m\x1b]633;A\x07"));
  expect(seen).toMatchObject({ number: 12345, markers: 1 });
  Object.assign(seen, { number: 0, markers: 0 });
  await fc.assert(
    fc.asyncProperty(cutOutput, async ([text, ends]) => {
      for (const { drawn } of parse(new OutputParser(), text, ends)) await written(emulator, drawn);
      await written(emulator, bytesOf("\x18"));
      expect(seen.number).toBeLessThanOrEqual(9999);
      expect(seen.markers).toBe(0);
    }),
    { numRuns: 1000 },
  );
});

test("no string that is too long reaches an emulator", async () => {
  const emulator = newEmulator();
  const seen = watch(emulator);
  const text = `\x1b]52;${"x".repeat(3 * MAX_STRING_BYTES)}\x07`;
  for (const { drawn } of parse(new OutputParser(), text, [70_000])) await written(emulator, drawn);
  expect(seen.stringBytes).toBe(MAX_STRING_BYTES - "52;".length);
});

/** Escape sequences in which a letter stands: it ends them here, while emulators differ in what they do with it. */
// oxlint-disable-next-line no-control-regex -- controls are made of these
const WITH_LETTERS = /(\x1b\[?|\xc2\x9b)([^\x1b\x40-\x7e]*)/g;

/**
 * What differs by design: numbers are clamped; and what is longer than any sensible control, or never ends, is none.
 */
const comparable = (text: string): string => {
  const known = text.replaceAll(/\d{5,}/g, "42");
  const pure = known.replaceAll(
    WITH_LETTERS,
    (_match, opening: string, rest: string) => opening + rest.replaceAll(/[\x80-\xff]/g, ""),
  );
  return `${pure}\x18`;
};

const linesOf = ({ buffer }: Emulator): string[] =>
  Array.from(
    { length: buffer.active.length },
    (_, index) => buffer.active.getLine(index)?.translateToString(true) ?? "",
  );

test("an emulator shows the same for the view as for all that the program wrote", async () => {
  const cutHostile = hostileOutput.chain((text) => fc.tuple(fc.constant(text), cuts(text)));
  await fc.assert(
    fc.asyncProperty(cutHostile, async ([hostile, ends]) => {
      const text = comparable(hostile);
      const [raw, shown] = [newEmulator(), newEmulator()];
      const pieces = parse(
        new OutputParser(),
        text,
        ends.filter((end) => end <= text.length),
      );
      await written(raw, bytesOf(text));
      for (const { drawn } of pieces) await written(shown, drawn);
      for (const emulator of [raw, shown]) await written(emulator, bytesOf("\x1b\\end"));
      expect(linesOf(shown)).toEqual(linesOf(raw));
    }),
    { numRuns: 500 },
  );
});

/** Without what may be long, and without other alphabets. */
const short = (text: string): string =>
  // oxlint-disable-next-line no-control-regex -- two of them switch alphabets
  text.replaceAll(/[PX^_\x90\x98\x9e\x9f\x0e\x0f()*+\-./]/g, "-");

test("whatever was not ended in time, an emulator shows what comes after it", async () => {
  await fc.assert(
    fc.asyncProperty(cutOutput, async ([hostile, ends]) => {
      const parser = new OutputParser();
      const emulator = newEmulator();
      for (const { drawn } of parse(parser, short(hostile), ends)) await written(emulator, drawn);
      for (const { drawn } of parse(parser, "\r\nvisible")) await written(emulator, drawn);
      expect(linesOf(emulator).join("\n")).toContain("visible");
    }),
    { numRuns: 500 },
  );
});

test.each(["\x1b]0;", "\x1b]8;;", "\x1b]633;E;", "\xc2\x9d2;", "\x1b\xc3\xa9]0;"])(
  "a megabyte of text behind %j is all visible",
  async (opening) => {
    const lines = Array.from({ length: 40_000 }, (_, index) => `a line of text ${index}\r\n`);
    const emulator = new xterm.Terminal({ allowProposedApi: true, scrollback: 50_000 });
    for (const { drawn } of parse(new OutputParser(), opening + lines.join(""), [1, 65_536])) {
      await written(emulator, drawn);
    }
    const shown = linesOf(emulator);
    const first = shown[0] ?? "";
    expect(first.endsWith("a line of text 0")).toBe(true);
    expect(shown.slice(1, lines.length)).toEqual(lines.slice(1).map((line) => line.trimEnd()));
  },
);
