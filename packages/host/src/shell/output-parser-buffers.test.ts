// Pieces go to other threads: what is handed out must not share memory with anything else.
import { expect, test } from "vitest";
import { OutputParser } from "./output-parser.ts";
import { bytesOf, textOf } from "./testing/output.ts";

const transfer = (bytes: Uint8Array<ArrayBuffer>): string =>
  textOf(structuredClone(bytes, { transfer: [bytes.buffer] }));

test("what needs no change is handed over as it came", () => {
  const parser = new OutputParser();
  for (const text of [
    "text",
    "\x1b[1mbold\x1b[0m",
    "\x1b]2;t\x07",
    "\x1b[?1049h",
    "\x1b]2;a\x1b[m",
  ]) {
    const bytes = bytesOf(text);
    const [piece, ...rest] = parser.push(bytes);
    expect(rest).toEqual([]);
    expect(piece?.raw).toBe(bytes);
    expect(piece?.view).toBe(bytes);
  }
});

test("bytes at the beginning of a larger buffer stay there", () => {
  const room = new Uint8Array(1000);
  room.set(bytesOf("text\x1b["));
  const whole = room.subarray(0, 4);
  const [piece] = new OutputParser().push(whole);
  expect(piece?.raw).toBe(whole);
  const [cut] = new OutputParser().push(room.subarray(0, 6));
  expect(textOf(cut!.raw)).toBe("text");
  expect(cut!.raw.buffer).toBe(room.buffer);
  expect(cut!.view).toBe(cut!.raw);
});

test("what is held back has memory of its own", () => {
  const parser = new OutputParser();
  const [first] = parser.push(bytesOf("text\x1b[3"));
  expect(transfer(first!.raw)).toBe("text");
  const [second] = parser.push(bytesOf("1mred"));
  expect(textOf(second!.view)).toBe("\x1b[31mred");
});

test("a chunk with a marker at its very end stays one piece", () => {
  const bytes = bytesOf("text\x1b]133;A\x07");
  const [piece, ...rest] = new OutputParser({ trustForeign: true }).push(bytes);
  expect(rest).toEqual([]);
  expect(piece?.raw).toBe(bytes);
  expect(transfer(piece!.raw)).toBe("text\x1b]133;A\x07");
  expect(textOf(piece!.view)).toBe("text");
});

test("each piece and each view that differs can be transferred alone", () => {
  const parser = new OutputParser({ trustForeign: true });
  const text = "a\x1b]133;A\x07b\x1b]133;B\x07c\x1b[99999Hd\x1b]633;X\x07\x1b[";
  const buffers = new Set<ArrayBuffer>();
  const seen = parser.push(bytesOf(text)).flatMap(({ raw, view, drawn }) => {
    const shown = [...new Set([raw, view, drawn])];
    for (const bytes of shown) buffers.add(bytes.buffer);
    return shown;
  });
  expect(buffers.size).toBe(seen.length);
  expect(seen.map(transfer)).toEqual([
    "a\x1b]133;A\x07",
    "a",
    "b\x1b]133;B\x07",
    "b",
    "c\x1b[99999Hd\x1b]633;X\x07",
    "c\x1b[99999Hd",
    "c\x1b[9999Hd",
  ]);
  expect(textOf(parser.push(bytesOf("m"))[0]!.view)).toBe("\x1b[m");
});
