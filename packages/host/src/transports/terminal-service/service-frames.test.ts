import { expect, test } from "vitest";
import { ServiceEncoder } from "./service-frames.ts";

const screen = (content: string) => ({
  sequence: 1,
  size: { cols: 80, rows: 24 },
  format: "ansi" as const,
  text: "",
  content,
  cursor: { row: 0, column: 0, visible: true },
  alternate: false,
  title: "t",
  hash: "0".repeat(16),
});

const wireOf = (isShared = false) => new ServiceEncoder({ sessionId: "terminal:a", isShared });

const read = (frames: readonly (string | Uint8Array)[]): unknown[] =>
  frames.map((frame): unknown => JSON.parse(String(frame)));

test("a character that comes in two pieces is told when it is whole", () => {
  const wire = wireOf();
  const [first, rest] = [Buffer.from([0xe2, 0x82]), Buffer.from([0xac, 0x21])];
  expect(read(wire.output([first]))).toEqual([]);
  expect(read(wire.output([rest]))).toEqual([{ type: "data", data: "€!" }]);
});

test("a byte order mark is told like any other character", () => {
  expect(read(wireOf().output([Buffer.from("\ufeffhi")]))).toEqual([
    { type: "data", data: "\ufeffhi" },
  ]);
});

test("half a character at the end is told before the end", () => {
  const wire = wireOf();
  wire.output([Buffer.from([0xe2, 0x82])]);
  expect(read(wire.exit({ exitCode: 3 }))).toEqual([
    { type: "data", data: "\ufffd" },
    { type: "exit", exitCode: 3 },
  ]);
});

test("an empty screen is no scrollback at first, and one after falling behind", () => {
  const wire = wireOf();
  expect(wire.snapshot(screen("\u001b[r\u001b[1;1H"))).toEqual([]);
  expect(read(wire.snapshot(screen("\u001b[r")))).toEqual([
    { type: "scrollback", data: "\u001b[r" },
  ]);
});

test("a scrollback that is too long for one frame goes on as data", () => {
  const content = `x${"😀".repeat(600 * 1024)}`;
  const frames = wireOf().snapshot(screen(content));
  expect(frames.map((frame) => String(frame).slice(0, 22))).toEqual([
    '{"type":"scrollback","',
    '{"type":"data","data":',
    '{"type":"data","data":',
  ]);
  const texts = frames.map((frame) => (JSON.parse(String(frame)) as { data: string }).data);
  expect(texts.join("")).toBe(content);
  expect(texts.every((text) => text.isWellFormed())).toBe(true);
});

test("a socket of several sessions says which one it tells of", () => {
  const wire = wireOf(true);
  const data = read(wire.output([Buffer.from("hi")]));
  expect(data).toEqual([{ type: "terminal:data", sessionId: "terminal:a", data: "hi" }]);
  expect(read(wire.exit({ exitCode: null, signal: "SIGKILL" }))).toEqual([
    { type: "terminal:exit", sessionId: "terminal:a", exitCode: null, signal: "SIGKILL" },
  ]);
});
