import fc from "fast-check";
import { expect, test } from "vitest";
import { type Line, LineSplitter } from "./line-splitter.ts";

const MIB = 1024 * 1024;

const split = (splitter: LineSplitter, ...chunks: readonly Uint8Array[]): readonly string[] =>
  chunks.flatMap((chunk) => [...splitter.push(chunk)]).map(textOf);

const textOf = (line: Line): string =>
  line.kind === "line" ? Buffer.from(line.bytes).toString("latin1") : "(too long)";

test("lines come out as they went in, wherever they are cut", () => {
  const line = fc.stringMatching(/^[a-z\r]{0,12}$/).filter((text) => !text.endsWith("\r"));
  const end = fc.constantFrom("\n", "\r\n");
  const cuts = fc.array(fc.nat({ max: 500 }));
  fc.assert(
    fc.property(fc.array(fc.tuple(line, end)), cuts, (lines, places) => {
      const bytes = Buffer.from(lines.map(([text, ending]) => text + ending).join(""), "latin1");
      const at = [0, ...places.map((place) => place % (bytes.length + 1)), bytes.length];
      const sorted = at.toSorted((left, right) => left - right);
      const chunks = sorted.slice(1).map((to, index) => bytes.subarray(sorted[index], to));
      const wanted = lines.map(([text, ending]) =>
        text.length + ending.length - 1 > 9 ? "(too long)" : text,
      );
      expect(split(new LineSplitter(9), ...chunks)).toEqual(wanted.filter(Boolean));
    }),
  );
});

test("a line of exactly the bound fits, and one more byte does not", () => {
  const splitter = new LineSplitter(4);
  expect(split(splitter, Buffer.from("abcd\nabcde\nab"), Buffer.from("cd\nabc"))).toEqual([
    "abcd",
    "(too long)",
    "abcd",
  ]);
});

test("a line without an end holds no memory", () => {
  const splitter = new LineSplitter();
  const before = process.memoryUsage().arrayBuffers;
  for (let sent = 0; sent < 512; sent++)
    expect(split(splitter, Buffer.alloc(MIB, "x"))).toEqual([]);
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(256 * MIB);
  expect(split(splitter, Buffer.from("\nnext\n"))).toEqual(["(too long)", "next"]);
});

test("a line that comes byte by byte is whole, however many bytes it has", () => {
  const splitter = new LineSplitter();
  const bytes = Buffer.from(Array.from({ length: 5000 }, (_, at) => 0x61 + (at % 26)));
  const chunks = Array.from(bytes, (byte) => Uint8Array.of(byte));
  expect(split(splitter, ...chunks, Buffer.from("\nnext\n"))).toEqual([bytes.toString(), "next"]);
});
