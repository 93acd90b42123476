import { expect, test } from "vitest";
import { toBytes, SMALL_SIZE, textsOf } from "./testing/rendering.ts";
import { TextRenderer } from "./text-renderer.ts";

function stateAfter(output: string | Uint8Array): Record<string, unknown> {
  const renderer = new TextRenderer({ size: SMALL_SIZE });
  renderer.write(toBytes(output), 1);
  const state: unknown = JSON.parse(JSON.stringify(renderer.toState()));
  return { ...(state as object) };
}

test("the state of an ordinary screen is small", () => {
  const renderer = new TextRenderer({ size: { cols: 200, rows: 50 } });
  renderer.write(toBytes(`$ ls\r\nREADME.md  src${" ".repeat(100)}\r\n$ `), 1);
  expect(JSON.stringify(renderer.toState()).length).toBeLessThan(600);
});

test.each([
  ["a character", "a\xe2\x94", "\x80b", ["a─b"]],
  ["an escape sequence", "a\x1b", "[2Cb", ["a  b"]],
  ["a control sequence", "a\x1b[?1049;1", "2h\x1b[?1049lb", ["ab"]],
  ["a control sequence with too many parameters", `a\x1b[${"2;".repeat(40)}`, "5Cb", ["a  b"]],
  ["a malformed control sequence", "a\x1b[1 2", "Cb", ["ab"]],
  ["a character set", "a\x1b(", "0q\x1b(", ["a─"]],
  ["a control string", "a\x1b]0;ti", "tle\x07b", ["ab"]],
  ["a wide character at the edge", "01234567890123456789", "x", ["01234567890123456789x"]],
])("a renderer goes on in the middle of %s", (_, before, after, lines) => {
  const renderer = new TextRenderer({ state: stateAfter(Buffer.from(before, "latin1")) });
  renderer.write(Buffer.from(after, "latin1"), 2);
  expect(textsOf(renderer.current())).toEqual(lines);
});

test("final lines that nobody took are part of the state", () => {
  const renderer = new TextRenderer({ state: stateAfter("gone\x1b[2J") });
  expect(renderer.takeFinal()).toEqual([{ text: "gone", first: 1, last: 1, carry: 0 }]);
});

test("modes and both screens are part of the state", () => {
  const output = "\x1b[1;38;5;9mred\x1b[3g\x1b[?1049h\x1b[7mx";
  const renderer = new TextRenderer({ state: stateAfter(output) });
  renderer.write(toBytes("y\x1b[?1049l!\tz"), 2);
  renderer.end();
  expect(textsOf(renderer.takeFinal())).toEqual(["   xy", "red!\tz"]);
});

test.each<[string, (state: Record<string, unknown>) => unknown]>([
  ["nothing", () => undefined],
  ["text", () => "state"],
  ["another version", (state) => ({ ...state, version: 1 })],
  ["something missing", (state) => ({ ...state, primary: undefined })],
  ["something unknown", (state) => ({ ...state, extra: 1 })],
  ["a cursor that is elsewhere", (state) => patch(state, { cursor: { row: 5, column: 0 } })],
  ["a column that is elsewhere", (state) => patch(state, { cursor: { row: 0, column: 21 } })],
  ["a region that is none", (state) => patch(state, { top: 3, bottom: 1 })],
  ["a region that is too large", (state) => patch(state, { bottom: 5 })],
  ["too many rows", (state) => patch(state, { rows: Array.from({ length: 6 }, () => null) })],
  ["a control in a text", (state) => patch(state, { rows: [row("a\x1b[2J")] })],
  ["a row that is too long", (state) => patch(state, { rows: [row("x".repeat(1_001))] })],
  ["a row that is too wide", (state) => patch(state, { rows: [row("世".repeat(501))] })],
])("a state that is damaged is refused: %s", (_, damage) => {
  const state = stateAfter("text");
  expect(() => new TextRenderer({ state })).not.toThrow();
  expect(() => new TextRenderer({ state: damage(state) })).toThrow("damaged");
});

const row = (text: string) => ({ text, first: 1, last: 1 });

function patch(state: Record<string, unknown>, change: object): unknown {
  return { ...state, primary: { ...(state["primary"] as object), ...change } };
}
