import { CommandId } from "@nacre/contracts";
import { expect, test } from "vitest";
import type { Fact } from "../recorded-entry.ts";
import { exportAsciicast } from "./export-asciicast.ts";
import { placed } from "./testing/random-recording.ts";
import { castText } from "./testing/read-cast.ts";

const terminal = { createdAt: "2026-01-31T09:30:00.750Z" };
const header: readonly [number, Fact] = [0, { type: "header", cols: 100, rows: 30 }];

const recording = (...facts: readonly (readonly [elapsedMs: number, fact: Fact])[]) =>
  placed(facts.map(([elapsedMs, fact]) => ({ elapsedMs, fact })));
const output = (...bytes: readonly number[]): Fact => ({
  type: "output",
  offset: 0,
  data: new Uint8Array(bytes),
});
const text = (written: string): Fact => output(...Buffer.from(written));
const input = (typed: string): Fact => ({
  type: "input",
  data: new Uint8Array(Buffer.from(typed)),
});

const eventsOf = (...facts: readonly (readonly [number, Fact])[]): readonly string[] =>
  castText(recording(header, ...facts), { terminal })
    .trimEnd()
    .split("\n")
    .slice(1);

const entries = recording(
  header,
  [100, text("one")],
  [400, { type: "resize", cols: 80, rows: 24 }],
  [400, { type: "marker", label: "half" }],
  [1400, text("two\u001b[0m")],
  [63_400, { type: "exit", exitCode: 3 }],
);

test("version 3 has intervals, version 2 times since the beginning and the exit as a marker", () => {
  const options = { terminal: { ...terminal, title: "Demo", command: "/bin/sh" } };
  expect(castText(entries, options).split("\n")).toEqual([
    '{"version":3,"term":{"cols":100,"rows":30},"timestamp":1769851800,"command":"/bin/sh","title":"Demo"}',
    '[0.1,"o","one"]',
    '[0.3,"r","80x24"]',
    '[0.0,"m","half"]',
    '[1.0,"o","two\\u001b[0m"]',
    '[62.0,"x","3"]',
    "",
  ]);
  expect(castText(entries, { ...options, version: 2 }).split("\n")).toEqual([
    '{"version":2,"width":100,"height":30,"timestamp":1769851800,"command":"/bin/sh","title":"Demo"}',
    '[0.1,"o","one"]',
    '[0.4,"r","80x24"]',
    '[0.4,"m","half"]',
    '[1.4,"o","two\\u001b[0m"]',
    '[63.4,"m","exit 3"]',
    "",
  ]);
});

test("times have no noise of floating point, however long the recording", () => {
  expect(eventsOf([300, text("a")], [3_155_673_600_007, text("b")])).toEqual([
    '[0.3,"o","a"]',
    '[3155673599.707,"o","b"]',
  ]);
});

test("a clock that went back takes no time", () => {
  expect(eventsOf([300, text("a")], [200, text("b")])[1]).toBe('[0.0,"o","b"]');
});

test("input is written only when it was asked for, and redacted input never", () => {
  const typed = recording(
    header,
    [1, input("secret\r")],
    [2, { type: "input", redacted: true, lengthBucket: "1-8" }],
  );
  expect(castText(typed, { terminal })).not.toContain("secret");
  const lines = castText(typed, { terminal, input: true }).trimEnd().split("\n");
  expect(lines.slice(1)).toEqual(['[0.001,"i","secret\\r"]']);
});

test("a character split over entries goes whole into the later event", () => {
  expect(
    eventsOf(
      [1, output(0x61, 0xe2)],
      [2, output(0x82)],
      [3, { type: "resize", cols: 1, rows: 1 }],
      [4, output(0xac, 0x62)],
    ),
  ).toEqual(['[0.001,"o","a"]', '[0.002,"r","1x1"]', '[0.001,"o","€b"]']);
});

test("the beginning of a character that never ends is flushed, before the exit", () => {
  expect(eventsOf([1, output(0xe2)])).toEqual(['[0.001,"o","\ufffd"]']);
  expect(eventsOf([1, output(0xe2)], [2, { type: "exit", exitCode: 0 }])).toEqual([
    '[0.002,"o","\ufffd"]',
    '[0.0,"x","0"]',
  ]);
});

test("output may go on behind the exit when another program keeps the terminal open", () => {
  expect(
    eventsOf(
      [1, output(0xe2)],
      [2, { type: "exit", exitCode: 0, drained: false }],
      [3, output(0x82, 0xac)],
    ),
  ).toEqual(['[0.002,"x","0"]', '[0.001,"o","€"]']);
});

test("bytes that are no characters are replaced, and a byte order mark stays", () => {
  expect(eventsOf([1, output(0xff, 0x61, 0xef, 0xbb, 0xbf)])).toEqual([
    '[0.001,"o","\ufffda\ufeff"]',
  ]);
});

test("control characters that JSON would leave are escaped", () => {
  expect(eventsOf([1, text("\u009b\u007f")])).toEqual(['[0.001,"o","\\u009b\\u007f"]']);
});

test("commands become markers of one line", () => {
  const commandLine = `echo 1\necho ${"2".repeat(300)}`;
  const commandId = CommandId.parse("c1");
  expect(eventsOf([1, { type: "command", commandId, commandLine, quality: "exact" }])).toEqual([
    `[0.001,"m","echo 1␊echo ${"2".repeat(256 - 13)}…"]`,
  ]);
});

test("what is missing is said in a marker, and no character goes on behind it", () => {
  expect(
    eventsOf(
      [1, output(0xe2)],
      [2, { type: "gap", lostBytes: 17, reason: "diskFull" }],
      [3, { type: "gap", lostBytes: null, reason: "restart" }],
      [4, { type: "output", offset: 0, redacted: true, lengthBytes: 1 }],
      [5, output(0x82)],
    ),
  ).toEqual([
    '[0.002,"o","\ufffd"]',
    '[0.0,"m","17 bytes of output missing (diskFull)"]',
    '[0.001,"m","an unknown number of bytes of output missing (restart)"]',
    '[0.001,"m","1 byte of output removed"]',
    '[0.001,"o","\ufffd"]',
  ]);
});

test.each<[string, Fact, readonly string[]]>([
  ["an exit code", { type: "exit", exitCode: -1 }, ['[0.001,"x","-1"]']],
  ["a signal", { type: "exit", exitCode: null, signal: "SIGKILL" }, ['[0.001,"x","137"]']],
  ["a signal without a number", { type: "exit", exitCode: null, signal: "SIGNONE" }, []],
  ["an end that nobody saw", { type: "exit", exitCode: null }, []],
])("the exit of %s", (_name, fact, expected) => {
  expect(eventsOf([1, fact])).toEqual(expected);
});

test("when the beginning was removed, time begins with what is left, and so does the size", () => {
  const left = placed(
    [
      { elapsedMs: 60_000, fact: { type: "title", title: "vim" } },
      { elapsedMs: 61_000, fact: { type: "resize", cols: 90, rows: 20 } },
      { elapsedMs: 62_000, fact: text("a") },
      { elapsedMs: 63_000, fact: { type: "resize", cols: 70, rows: 20 } },
    ],
    12,
  );
  expect(castText(left, { terminal }).split("\n")).toEqual([
    '{"version":3,"term":{"cols":90,"rows":20},"timestamp":1769851860}',
    '[2.0,"o","a"]',
    '[1.0,"r","70x20"]',
    "",
  ]);
  expect(castText(left.slice(2), { terminal, version: 2 }).split("\n").slice(0, 2)).toEqual([
    '{"version":2,"width":80,"height":24,"timestamp":1769851862}',
    '[0.0,"o","a"]',
  ]);
  const size = { cols: 132, rows: 43 };
  expect(castText(left.slice(2), { terminal: { ...terminal, size } })).toContain('"cols":132');
});

test("a recording without events is a header", () => {
  expect(castText([], { terminal, version: 2 })).toBe(
    '{"version":2,"width":80,"height":24,"timestamp":1769851800}\n',
  );
});

test("a title cannot bring control characters into the header", () => {
  const written = castText([], { terminal: { ...terminal, title: "a\u001b]0;b", command: "" } });
  expect(written).toContain('"title":"a␛]0;b"}');
});

test("many small events come in few pieces, and a large entry in several events", () => {
  const many = recording(
    header,
    ...Array.from({ length: 10_000 }, (): [number, Fact] => [1, text("0123456789")]),
  );
  const pieces = [...exportAsciicast(many, { terminal })];
  expect(pieces.length).toBeLessThan(10);
  expect(pieces.slice(0, -1).every((piece) => piece.length >= 16 * 1024)).toBe(true);
  expect(eventsOf([1, output(...new Uint8Array(70_000).fill(0xff))])).toHaveLength(4);
});
