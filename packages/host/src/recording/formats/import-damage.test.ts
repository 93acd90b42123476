import { expect, test } from "vitest";
import { MAX_DOCUMENT_BYTES } from "./cast-header.ts";
import { importAsciicast } from "./import-asciicast.ts";
import { readCast, refusalOf } from "./testing/read-cast.ts";

const MIB = 1024 * 1024;
const HEADER_1 = '{"version":1,"width":80,"height":24,"stdout":[';
const HEADER_2 = '{"version":2,"width":80,"height":24}\n';
const HEADER_3 = '{"version":3,"term":{"cols":80,"rows":24}}\n';
const deep = (depth: number) => "[".repeat(depth) + "]".repeat(depth);

test.each([
  ["gzip", [0x1f, 0x8b, 0x08, 0x00]],
  ["zip", [0x50, 0x4b, 0x03, 0x04]],
  ["zstd", [0x28, 0xb5, 0x2f, 0xfd]],
  ["xz", [0xfd, 0x37, 0x7a, 0x58, 0x5a]],
  ["bzip2", [0x42, 0x5a, 0x68, 0x39]],
])("a file compressed with %s is refused with what to do", (name, magic) => {
  const refusal = refusalOf(new Uint8Array([...magic, 1, 2, 3]));
  expect(refusal?.code).toBe("invalid_argument");
  expect(refusal?.message).toContain(name);
  expect(refusal?.suggestion).toContain("Decompress");
});

test.each<[string, string, string | undefined]>([
  ["nothing", "", undefined],
  ["white space", " \n \n", undefined],
  ["endless white space", " ".repeat(2 * MIB), undefined],
  ["text", "hello\n", undefined],
  ["a number", "7", undefined],
  ["an array", '[0,"o","a"]', undefined],
  ["brackets without end", "[".repeat(MIB), undefined],
  ["braces without end", '{"a":'.repeat(MIB), undefined],
  ["an object that is cut", '{"version":2,"width":80', undefined],
  ["half a byte order mark", "\u00ef{}", undefined],
  ["an empty object", "{}", "version"],
  ["a version to come", '{"version":4,"width":80,"height":24}', "version"],
  ["a version in quotes", '{"version":"2","width":80,"height":24}', "version"],
  ["a version from a prototype", '{"__proto__":{"version":2,"width":8,"height":2}}', "version"],
  ["no size", '{"version":2}', "width"],
  ["half a size", '{"version":2,"width":80}', "height"],
  ["a negative size", '{"version":2,"width":-80,"height":24}', "width"],
  ["a broken size", '{"version":2,"width":80.5,"height":24}', "width"],
  ["a huge size", '{"version":2,"width":1e300,"height":24}', "width"],
  ["an infinite size", '{"version":2,"width":1e999,"height":24}', "width"],
  ["no terminal", '{"version":3,"width":80,"height":24}', "term"],
  [
    "a terminal from a prototype",
    '{"version":3,"term":{"__proto__":{"cols":1,"rows":1}}}',
    "term.cols",
  ],
  ["a terminal in quotes", '{"version":3,"term":"80x24"}', "term"],
  ["no frames", '{"version":1,"width":80,"height":24}', "stdout"],
  ["a member without value", '{"version":}', undefined],
  ["a key that is a number", "{7:2}", undefined],
  ["a missing comma", '{"version":2 "width":80}', undefined],
  ["a header with more behind it", `${HEADER_2.trimEnd()} {}\n`, undefined],
  ["a header that is too large", `{"title":"${"a".repeat(2 * MIB)}","version":2}`, undefined],
  ["a header of too many members", `{${'"a":1,'.repeat(300_000)}"version":2}`, undefined],
  [
    "a header of too many values",
    `{"version":2,"width":80,"height":[${"{},".repeat(9000)}0]}`,
    "height",
  ],
  ["a header of nothing but depth", `{"version":2,"env":${deep(100_000)}}`, "width"],
  ["frames without a size", '{"version":1,"stdout":[]}', "width"],
  ["frames that are no array", '{"version":1,"width":80,"height":24,"stdout":{}}', "stdout"],
])("%s is no cast", (_name, file, field) => {
  const refusal = refusalOf(file);
  expect(refusal?.code).toBe("invalid_argument");
  expect(refusal?.field).toBe(field);
  expect(refusal?.suggestion).toContain("asciicast");
});

test.each<[string, string]>([
  ["text", "hello"],
  ["an object", "{}"],
  ["two elements", '[2,"o"]'],
  ["four elements", '[2,"o","a","b"]'],
  ["a comment in version 2", "# comment"],
  ["a code that is no string", '[2,7,"a"]'],
  ["data that is no string", '[2,"o",7]'],
  ["data that is no JSON", '[2,"o","\u0007"]'],
  ["a time that is no number", '["2","o","a"]'],
  ["a time before the beginning", '[-2,"o","a"]'],
  ["a time that is not a number", '[NaN,"o","a"]'],
  ["an infinite time", '[1e999,"o","a"]'],
  ["a time after a century", '[1e10,"o","a"]'],
  ["a time beyond all integers", '[99999999999999999999,"o","a"]'],
  ["a resize in words", '[2,"r","large"]'],
  ["a resize of one side", '[2,"r","80"]'],
  ["a negative resize", '[2,"r","-80x24"]'],
  ["a resize with white space", '[2,"r"," 80x24"]'],
  ["a huge resize", '[2,"r","99999x99999"]'],
  ["an exit in words", '[2,"x","fine"]'],
  ["a broken exit", '[2,"x",0.5]'],
  ["a deep value", `[2,"o",${deep(100_000)}]`],
  ["many values", `[2,"o",[${"{},".repeat(100_000)}0]]`],
  ["an endless line", `[2,"o","${"a".repeat(5 * MIB)}"]`],
  ["a line that is cut", '[2,"o","a'],
  ["zeros", "\0\0\0\0"],
])("what precedes %s is read", (_name, line) => {
  const { facts, outcome } = readCast(`${HEADER_2}[1,"o","a"]\n${line}\n[3,"o","b"]\n`);
  expect(facts).toHaveLength(1);
  expect(outcome).toMatchObject({ complete: false, line: 3 });
});

test.each<[string, string]>([
  ["a missing comma", '[1,"b"] [1,"c"]]}'],
  ["a trailing comma", "]}"],
  ["brackets without end", "[".repeat(MIB)],
  ["the end of the file", ""],
  ["a frame that is cut", '\n\n[1,"b'],
])("version 1 with %s is no JSON, and refused", (_name, rest) => {
  const refusal = refusalOf(`${HEADER_1}[1,"a"],${rest}`);
  expect(refusal).toMatchObject({ code: "invalid_argument", details: { line: 1 } });
});

test.each<[string, string]>([
  ["a frame of one element", "[1]]}"],
  ["a frame that is no array", "7]}"],
  ["a deep frame", `${deep(100)}]}`],
])("what precedes %s is read in version 1", (_name, rest) => {
  const { facts, outcome } = readCast(`${HEADER_1}[1,"a"],${rest}`);
  expect(facts).toHaveLength(1);
  expect(outcome).toMatchObject({ complete: false });
});

test("version 1 that is too large is refused with its size and the limit", () => {
  const file = Buffer.from(`${HEADER_1}[1,"${"a".repeat(MAX_DOCUMENT_BYTES)}"]]}`);
  const message = `the file has ${file.byteLength} bytes and no JSON object in its first line; a cast that is one object, as in version 1, may have at most 16777216`;
  const read = (sizeBytes?: () => number) => () => importAsciicast([file], sizeBytes);
  expect(read(() => file.byteLength)).toThrow(
    expect.objectContaining({ code: "payload_too_large", message }),
  );
  expect(read()).toThrow(/^the file has more than 16777216 bytes and .* at most 16777216$/);
});

test("frames are kept when something is wrong behind them", () => {
  const { facts, outcome } = readCast(`${HEADER_1}[1,"a"]]}\n\n7`);
  expect(facts).toHaveLength(1);
  expect(outcome).toMatchObject({ complete: false, line: 3 });
});

test("intervals cannot add up beyond a century", () => {
  const { facts, outcome } = readCast(`${HEADER_3}${'[1e9,"o","a"]\n'.repeat(100)}`);
  expect(facts).toHaveLength(3);
  expect(outcome).toMatchObject({ complete: false, line: 5 });
});

test("wrong attributes that are not needed are left out", () => {
  const attributes = '"timestamp":-1,"title":7,"command":["a"],"env":"x","__proto__":{"title":"y"}';
  const { header } = readCast(`{"version":2,"width":80,"height":24,${attributes}}`);
  expect(header).toEqual({ version: 2, size: { cols: 80, rows: 24 } });
  const late = readCast('{"version":2,"width":80,"height":24,"timestamp":1e300}');
  expect(late.header.occurredAtMs).toBeUndefined();
});

/** A file that never ends, and how much of it was read. */
function endless(beginning: string, rest: string) {
  const file = { readBytes: 0 };
  const piece = Buffer.from(rest.repeat(Math.ceil((64 * 1024) / rest.length)));
  function* pieces() {
    yield Buffer.from(beginning);
    for (;;) {
      file.readBytes += piece.length;
      yield piece;
    }
  }
  return { file, pieces: pieces() };
}

test.each<[string, string, string]>([
  ["a line", HEADER_2, "a"],
  ["empty lines", HEADER_2, "\n"],
  ["comments", HEADER_3, "# nothing\n"],
  ["events without data", HEADER_2, '[1,"o",""]\n'],
  ["unknown events", HEADER_2, '[1,"q",[{}]]\n'],
])("%s without end: little is read before it is given up", (_name, beginning, rest) => {
  const { file, pieces } = endless(beginning, rest);
  const cast = importAsciicast(pieces);
  expect([...cast.facts]).toEqual([]);
  expect(cast.outcome().complete).toBe(false);
  expect(file.readBytes).toBeLessThan(20 * MIB);
});

test.each<[string, string, string]>([
  ["a header", '{"version":2,"title":"', "a"],
  ["members", '{"version":2,"a":1', ',"a":1'],
  ["white space between frames", HEADER_1, " "],
  ["empty frames", `${HEADER_1}[0,""]`, ',[0,""]'],
  ["lines of frames", `${HEADER_1}[0,""]`, ',\n[0,""]'],
  ["a frame", HEADER_1, '"'],
  ["brackets", HEADER_1, "["],
])("%s without end: no more is read than one object may have", (_name, beginning, rest) => {
  const { file, pieces } = endless(beginning, rest);
  expect(() => importAsciicast(pieces)).toThrow(
    expect.objectContaining({ code: "payload_too_large" }),
  );
  expect(file.readBytes).toBeLessThan(17 * MIB);
});

test.each<[string, string, string]>([
  ["white space", "", " \n"],
  ["brackets", "", "["],
])("%s without end is refused at once", (_name, beginning, rest) => {
  const { file, pieces } = endless(beginning, rest);
  expect(() => importAsciicast(pieces)).toThrow(/line \d+:/);
  expect(file.readBytes).toBeLessThan(2 * MIB);
});
