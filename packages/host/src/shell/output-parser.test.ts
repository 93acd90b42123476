import { describe, expect, test } from "vitest";
import { MAX_MARKER_BYTES } from "./escape-sequence-scanner.ts";
import { OutputParser } from "./output-parser.ts";
import { bytesOf, codePair, ownMarker, parse, summary, textOf, utf8 } from "./testing/output.ts";
import { INITIAL_MODES } from "./terminal-modes.ts";

const OPENINGS = ["\x1b]", "\xc2\x9d"];
const ENDS = ["\x07", "\x1b\\", "\xc2\x9c"];
const forms = OPENINGS.flatMap((opening) => ENDS.map((end) => [opening, end] as const));

describe.each(forms)("between %j and %j", (opening, end) => {
  test.each([
    ["133;A", { kind: "promptStart" }],
    ["133;C;cmdline_url=ls%20-l", { kind: "commandStart", line: "ls -l" }],
    ["633;D;7", { kind: "commandEnd", exitCode: 7 }],
    ["633;E;a\\x3bb", { kind: "commandLine", line: "a;b" }],
    ["633;P;Cwd=/tmp", { kind: "cwd", path: "/tmp" }],
  ])("the marker %j ends a piece and is not shown", (body, marker) => {
    const text = `a${opening}${body}${end}b`;
    expect(summary(parse(new OutputParser({ trustForeign: true }), text))).toEqual([
      { raw: text.slice(0, -1), view: "a", marker: { ...marker, quality: "marker" } },
      { raw: "b", view: "b" },
    ]);
    expect(summary(parse(new OutputParser(), text))).toEqual([{ raw: text, view: "ab" }]);
  });

  test.each([
    ["0;the title", { title: "the title" }],
    ["2;", { title: "" }],
    ["1;icon", {}],
    ["7;file:///tmp/a%20b", { cwd: "/tmp/a b" }],
    ["1337;CurrentDir=/tmp", { cwd: "/tmp" }],
    ["8;;http://example.org", {}],
  ])("%j is told and stays", (body, facts) => {
    const text = `a${opening}${body}${end}b`;
    expect(summary(parse(new OutputParser(), text))).toEqual([{ raw: text, view: text, ...facts }]);
  });
});

test("our own markers end pieces exactly where they stand", () => {
  const { codes, shell } = codePair();
  const next = (payload: string) => ownMarker(payload, shell.next());
  const output = [
    next("A") + "$ " + next("B"),
    "ls\r\n" + next("E;ls") + next("C"),
    "file\r\n" + next("D;0") + next("P;Cwd=/tmp"),
  ].join("");
  const pieces = parse(new OutputParser({ nonces: codes }), output);
  expect(pieces.map(({ view, marker }) => [textOf(view), marker?.kind])).toEqual([
    ["", "promptStart"],
    ["$ ", "promptEnd"],
    ["ls\r\n", "commandLine"],
    ["", "commandStart"],
    ["file\r\n", "commandEnd"],
    ["", "cwd"],
  ]);
  expect(pieces.every(({ marker }) => marker?.quality === "exact")).toBe(true);
});

test("a marker without an end of its own does not count, and no viewer can take it for one", () => {
  const { codes, shell } = codePair();
  const marker = ownMarker("D;0", shell.next()).slice(0, -1);
  const text = `${marker}\x1b[1mx`;
  expect(summary(parse(new OutputParser({ nonces: codes }), text))).toEqual([
    { raw: text, view: "\x1b[1mx", drawn: `${marker}\x18\x1b[1mx` },
  ]);
});

test("a title may be ended by what follows it, as in other terminals", () => {
  expect(parse(new OutputParser(), "\x1b]2;title\x1b[m")).toMatchObject([{ title: "title" }]);
  expect(parse(new OutputParser(), "\x1b]2;title\x18")).not.toHaveProperty("0.title");
});

test("forged markers change nothing and do not even cut the output", () => {
  const { codes, shell } = codePair();
  const forged = [
    "\x1b]633;D;0\x07",
    "\x1b]133;A\x07",
    ownMarker("D;0", "1.1"),
    "\x1b]633;P;Cwd=/\x07",
  ];
  const parser = new OutputParser({ nonces: codes });
  const text = forged
    .map((marker) => `x${marker}`)
    .join("")
    .repeat(1000);
  const pieces = parser.push(bytesOf(text));
  expect(pieces).toEqual([
    { raw: bytesOf(text), view: bytesOf("x".repeat(4000)), drawn: bytesOf("x".repeat(4000)) },
  ]);
  expect(parser.push(bytesOf(ownMarker("A", shell.next())))).toHaveLength(1);
});

test("a marker that is given up or too long changes nothing, and no viewer can take it for one", () => {
  const { codes, shell } = codePair();
  const marker = ownMarker("D;0", shell.next());
  const long = ownMarker(`E;${"x".repeat(MAX_MARKER_BYTES)}`, shell.next());
  const text = `${marker.slice(0, -1)}\x18${long}`;
  expect(summary(parse(new OutputParser({ nonces: codes }), text))).toEqual([
    {
      raw: text,
      view: long.slice(MAX_MARKER_BYTES),
      drawn: `${marker.slice(0, -1)}\x18${long.slice(1)}`,
    },
  ]);
});

test("the last title and working directory of a piece are told", () => {
  const text =
    "\x1b]2;a\x07\x1b]7;file:///a\x07\x1b]2;b\x07\x1b]7;file:///b\x07\x1b]7;file://elsewhere/c\x07";
  expect(parse(new OutputParser(), text)).toMatchObject([{ title: "b", cwd: "/b" }]);
});

describe("what is not complete", () => {
  test.each([
    ["\x1b", ""],
    ["\x1b[", "["],
    ["\x1b[31", "[31"],
    ["\x1b]2;a", "]2;a"],
    ["\x1b]2;a\x1b", "]2;a"],
    ["\x1b]2;a\x1b[3", "]2;a[3"],
    ["\x1b[3\x1b\x1b", "[3"],
    ["\x1bPq", "\x1bPq"],
    ["\x1b(", "("],
    ["\xc2", "\xc2"],
    [utf8("漢").slice(0, 2), utf8("漢").slice(0, 2)],
  ])("%j is held back until it is, or released and drawn as %j", (unfinished, drawn) => {
    const parser = new OutputParser();
    expect(parser.push(bytesOf(`text${unfinished}`)).map(({ raw }) => textOf(raw))).toEqual([
      "text",
    ]);
    expect(parser.heldBytes).toBe(unfinished.length);
    expect(parser.push(bytesOf(""))).toEqual([]);
    const told = { raw: unfinished, view: unfinished };
    expect(summary(parser.flush())).toEqual([drawn === unfinished ? told : { ...told, drawn }]);
    expect(parser.heldBytes).toBe(0);
    expect(parser.flush()).toEqual([]);
  });

  test.each(["\xff", "\x80", "\xc0", "\xe0\x80", "\xed\xa0", "\xf4\x90", "\xe2\x82a"])(
    "invalid UTF-8 is not waited for: %j",
    (text) => {
      const bytes = bytesOf(text);
      const parser = new OutputParser();
      expect(parser.push(bytes)[0]?.view).toBe(bytes);
      expect(parser.heldBytes).toBe(0);
    },
  );

  test("what is too long is released, but no code point is cut in two", () => {
    const parser = new OutputParser();
    const filler = "x".repeat(4096 - "\x1bP".length);
    expect(parser.push(bytesOf(`\x1bP${filler.slice(1)}`))).toEqual([]);
    expect(parser.push(bytesOf("\xe6"))[0]?.raw.byteLength).toBe(4095);
    expect(parser.heldBytes).toBe(1);
    expect(parser.push(bytesOf("\xbc\xa2")).map(({ view }) => textOf(view))).toEqual([utf8("漢")]);
  });

  test("after it was released the parser and its viewers are back in the ground state", () => {
    const parser = new OutputParser({ trustForeign: true });
    parser.push(bytesOf("\x1b]2;never ended"));
    parser.flush();
    expect(parser.isGround).toBe(true);
    const pieces = parser.push(bytesOf("text\x1b]133;A\x07more\x07"));
    expect(pieces.map(({ view, marker }) => [textOf(view), marker?.kind])).toEqual([
      ["text", "promptStart"],
      ["more\x07", undefined],
    ]);
  });

  test.each(["\x1bPq", "\x1b_G", "\x1b^p", "\x1bXs", "\x1b]52;c;", "\x1b]1337;File=:"])(
    "%j goes through piece by piece, because it may be long",
    (opening) => {
      const parser = new OutputParser();
      parser.push(bytesOf(opening));
      const text = `${opening}${"x".repeat(10_000)}\x1b\\text`;
      const pieces = [...parser.flush(), ...parse(parser, text.slice(opening.length), [5000])];
      expect(pieces.map(({ view }) => textOf(view)).join("")).toBe(text);
      expect(parser.isGround).toBe(true);
    },
  );

  test("a title waits until what follows it is known not to be its end", () => {
    const parser = new OutputParser();
    expect(parser.push(bytesOf("\x1b]2;title\x1b["))).toEqual([]);
    expect(parser.push(bytesOf("mtext"))).toMatchObject([{ title: "title" }]);
    parser.push(bytesOf("\x1b]2;other\x1b["));
    expect(parser.flush()[0]).not.toHaveProperty("title");
  });
});

describe("modes", () => {
  test("are those of the output that was given out", () => {
    const parser = new OutputParser();
    parser.push(bytesOf("\x1b[?1h\x1b=\x1b[?2004;1049h\x1b[?1002"));
    expect(parser.modes).toEqual({
      ...INITIAL_MODES,
      applicationCursor: true,
      applicationKeypad: true,
      bracketedPaste: true,
      alternateScreen: true,
    });
    parser.push(bytesOf("h\xc2\x9b?1004h"));
    expect(parser.modes).toMatchObject({ mouse: true, focusReporting: true });
    parser.push(bytesOf("\x1b[!p"));
    expect(parser.modes).toEqual({ ...INITIAL_MODES, alternateScreen: true, mouse: true });
    parser.push(bytesOf("\x1bc"));
    expect(parser.modes).toEqual(INITIAL_MODES);
  });

  test.each([
    "\x1b]2;\x1b",
    "\x1bPx\x18",
    "\x1b[?2004\x18h",
    "\x1b]2;[?2004h\x07",
    "\x1b(=",
    "[?2004h",
  ])("%j changes none", (text) => {
    const parser = new OutputParser();
    parser.push(bytesOf(text));
    expect(parser.modes).toBe(INITIAL_MODES);
  });
});
