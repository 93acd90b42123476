import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { bytesOf, cuts, hostileOutput, longOutput, textOf } from "./testing/output.ts";
import { MAX_STRING_BYTES, SequenceLimiter } from "./sequence-limiter.ts";

const clamp = (text: string): string => textOf(new SequenceLimiter().push(bytesOf(text)));

describe("numbers", () => {
  test.each([
    ["\x1b[10000H", "\x1b[9999H"],
    ["\x1b[2147483647X", "\x1b[9999X"],
    ["\x1b[12345;6;78901H", "\x1b[9999;6;9999H"],
    ["\x1b[38:2:99999:1m", "\x1b[38:2:9999:1m"],
    ["\x1b[?99999h", "\x1b[?9999h"],
    ["\x1b[>99999c", "\x1b[>9999c"],
    ["\x1b[99999 q", "\x1b[9999 q"],
    ["\x1b[0012345b", "\x1b[009999b"],
    ["\xc2\x9b99999b", "\xc2\x9b9999b"],
    ["a\x1b[99999bb\x1b[99999c", "a\x1b[9999bb\x1b[9999c"],
    ["\x1b]2;x\x1b[99999L", "\x1b]2;x\x1b[9999L"],
    ["\x1bPx\xc2\x9b99999L", "\x1bPx\xc2\x9b9999L"],
    ["\x1b\n[99999L", "\x1b\n[9999L"],
    ["\x1b\xff[99999L", "\x1b\xff[9999L"],
    ["\x1b[\xff99999L", "\x1b[\xff9999L"],
  ])("%j is shown as %j", (text, view) => {
    expect(clamp(text)).toBe(view);
  });

  test.each([
    "\x1b[12\n345L",
    "\x1b[12\x7f3456L",
    "\x1b[21\xff47\xff48L",
    "\x1b[1\x002\x003\x004\x005L",
  ])("a number with something in between is kept from growing: %j", (text) => {
    const digits = clamp(text).replace(/\D/g, "");
    expect(digits).toBe(text.replace(/\D/g, "").slice(0, 4));
  });

  test.each([
    "\x1b[9999H",
    "\x1b[0000000000007m",
    "\x1b[1;2;3;4m",
    "99999",
    "\x1b[m99999",
    "\x1b[1\x1899999",
    "\x1b]2;99999\x07",
    "\x1b(99999",
    "\x1b( 99999",
    "\x1bP99999q\x1b\\",
    "\x9b99999b",
  ])("%j stays as it is", (text) => {
    const bytes = bytesOf(text);
    expect(new SequenceLimiter().push(bytes)).toBe(bytes);
  });

  test("digits at the end wait until the number is known", () => {
    const view = new SequenceLimiter();
    expect(textOf(view.push(bytesOf("\x1b[1;12")))).toBe("\x1b[1;");
    expect(view.isGround).toBe(false);
    expect(textOf(view.push(bytesOf("34")))).toBe("");
    expect(textOf(view.push(bytesOf("H")))).toBe("1234H");
    expect(view.isGround).toBe(true);
  });
});

describe("strings", () => {
  const long = "x".repeat(MAX_STRING_BYTES);

  test.each([
    ["\x1b]", "\x07"],
    ["\x1b]", "\x1b\\"],
    ["\xc2\x9d", "\xc2\x9c"],
    ["\x1bP", "\x1b\\"],
    ["\x1b_", "\xc2\x9c"],
    ["\x1b^", "\x18"],
    ["\x1bX", "\x1b\\"],
    ["\xc2\x90", "\x1b\\"],
  ])("a string between %j and %j keeps its beginning and its end", (opening, end) => {
    expect(clamp(`a${opening}${long}yyy${end}b`)).toBe(`a${opening}${long}${end}b`);
    expect(clamp(`a${opening}${long}${end}b`)).toBe(`a${opening}${long}${end}b`);
  });

  test("a string that ends never is bounded however much follows", () => {
    const view = new SequenceLimiter();
    let shown = view.push(bytesOf("\x1bPq")).byteLength;
    for (let index = 0; index < 100; index++) shown += view.push(bytesOf(long)).byteLength;
    expect(shown).toBe(3 + MAX_STRING_BYTES - 1);
    expect(view.isGround).toBe(false);
    expect(textOf(view.push(bytesOf("z\x1b\\a")))).toBe("\x1b\\a");
    expect(view.isGround).toBe(true);
  });

  test("a code point is not cut in two where a string is too long", () => {
    const filler = long.slice(1);
    expect(clamp(`\x1b]${filler}\xe6\xbc\xa2\xe5\xad\x97\x07`)).toBe(
      `\x1b]${filler}\xe6\xbc\xa2\x07`,
    );
    expect(clamp(`\x1b]${filler}${"\x80".repeat(9)}\x07`)).toBe(
      `\x1b]${filler}${"\x80".repeat(4)}\x07`,
    );
  });

  test("the end of a string that is too long is kept when it arrives in two parts", () => {
    const view = new SequenceLimiter();
    const parts = [`\x1bP${long}x\xc2`, "\x9ca"].map((part) => textOf(view.push(bytesOf(part))));
    expect(parts).toEqual([`\x1bP${long}`, "\xc2\x9ca"]);
  });

  test("BEL ends an OSC but no other string", () => {
    const view = new SequenceLimiter();
    view.push(bytesOf("\x1b_a\x07b"));
    expect(view.isGround).toBe(false);
    view.push(bytesOf("\x1b\\\x1b]a\x07"));
    expect(view.isGround).toBe(true);
  });
});

describe("what looks like a marker", () => {
  test.each([
    ["\x1b]633;A\x07b", "\x1b]633;A\x18b"],
    ["\x1b]0133;A\x1b\\b", "\x1b]0133;A\x18\x1b\\b"],
    ["\x1b]6\x003\xff3\xc2\x9cb", "\x1b]6\x003\xff3\xc2\x18\x9cb"],
    ["\x1b]633;A\x1b[m", "\x1b]633;A\x18\x1b[m"],
    ["\x1b]633;A\x18b", "\x1b]633;A\x18b"],
    ["\x1b]633;A\xc2\x9bm", "\x1b]633;A\xc2\x9bm"],
    ["\x1b]6330;A\x07b", "\x1b]6330;A\x07b"],
    ["\x1b]2;633\x07b", "\x1b]2;633\x07b"],
  ])("%j is shown as %j, so that no viewer takes it for one", (text, view) => {
    expect(clamp(text)).toBe(view);
  });
});

test.each([
  "\x1b",
  "\x1b(",
  "\x1b[",
  "\x1b[1",
  "\x1b]2;a",
  "\x1bP",
  "\xc2",
  "\xe2\x82",
  "\xf0\x9f\x98",
])("no viewer may begin behind %j", (text) => {
  const view = new SequenceLimiter();
  view.push(bytesOf(text));
  expect(view.isGround).toBe(false);
  expect(view.push(bytesOf("")).byteLength).toBe(0);
  view.push(bytesOf("\x1b\\"));
  expect(view.isGround).toBe(true);
});

test("a code point that arrives byte by byte is complete with its last one", () => {
  const view = new SequenceLimiter();
  const isGround = ["\xf0", "\x9f", "\x98", "\x80", "\xc2", "\x9b", "m"].map((byte) => {
    view.push(bytesOf(byte));
    return view.isGround;
  });
  expect(isGround).toEqual([false, false, false, true, false, false, true]);
});

test.each([
  ["hostile", hostileOutput],
  ["long", longOutput],
] as const)("%s output gives the same view however it is cut", (_kind, output) => {
  fc.assert(
    fc.property(
      output.chain((text) => fc.tuple(fc.constant(text), cuts(text))),
      ([text, places]) => {
        const view = new SequenceLimiter();
        const ends = [0, ...places.toSorted((a, b) => a - b), text.length];
        const parts = ends.slice(1).map((end, index) => text.slice(ends[index], end));
        const shown = parts.map((part) => textOf(view.push(bytesOf(part)))).join("");
        const whole = new SequenceLimiter();
        expect(shown).toBe(textOf(whole.push(bytesOf(text))));
        expect(view.isGround).toBe(whole.isGround);
      },
    ),
    { numRuns: 1000 },
  );
});
