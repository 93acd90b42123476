import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { MAX_JSON_DEPTH, MAX_JSON_NODES, parseJsonText } from "./parse-json-text.ts";
import { cpuMs } from "../testing/cpu-ms.ts";

const read = (text: string): unknown => parseJsonText(Buffer.from(text));

const REFUSED = { code: "invalid_argument" };

const refusal = (text: string | Uint8Array): unknown => {
  try {
    return parseJsonText(Buffer.from(text));
  } catch (error) {
    return error;
  }
};

test("what is small and shallow comes through as the parser reads it", () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 6, stringUnit: "binary" }), (value) => {
      fc.pre(!/"(?:__proto__|constructor|prototype)":/.test(JSON.stringify(value)));
      for (const indent of [undefined, 1]) {
        const text = JSON.stringify(value, undefined, indent);
        expect(read(text)).toEqual(JSON.parse(text));
      }
    }),
  );
});

describe("depth", () => {
  test.each(["[", '{"a":'])("%s may be nested as deep as allowed and no deeper", (open) => {
    const close = open === "[" ? "]" : "}";
    const nested = (depth: number) => `${open.repeat(depth)}1${close.repeat(depth)}`;
    expect(read(nested(MAX_JSON_DEPTH))).toBeTypeOf("object");
    expect(refusal(nested(MAX_JSON_DEPTH + 1))).toMatchObject(REFUSED);
  });

  test.each([1e4, 1e5, 1e6, 5e6])("%d levels are refused", (depth) => {
    expect(refusal("[".repeat(depth))).toMatchObject(REFUSED);
    expect(refusal('{"a":'.repeat(depth))).toMatchObject(REFUSED);
  });

  test("brackets in texts do not count", () => {
    const text = "[{".repeat(1000);
    expect(read(JSON.stringify({ text: `${text}\\"` }))).toEqual({ text: `${text}\\"` });
  });
});

test("so many values are read and not one more", () => {
  const list = (count: number) => JSON.stringify(Array.from({ length: count }, () => 0));
  expect(read(list(MAX_JSON_NODES - 1))).toHaveLength(MAX_JSON_NODES - 1);
  expect(refusal(list(MAX_JSON_NODES))).toMatchObject(REFUSED);
  const keys = Object.fromEntries(Array.from({ length: 1e5 }, (_, index) => [`k${index}`, 1]));
  expect(refusal(JSON.stringify(keys))).toMatchObject(REFUSED);
});

describe("keys", () => {
  test.each([
    ['{"__proto__":{"polluted":1}}', "__proto__"],
    ['{"a":[{"constructor":{"prototype":{"polluted":1}}}]}', "constructor"],
    ['{"prototype" \n: 1}', "prototype"],
    ['{"__pr\\u006fto__":1}', "__proto__"],
    ['{"\\u005f\\u005fproto\\u005f\\u005f"\t:1}', "__proto__"],
  ])("%s is refused by name", (text, field) => {
    expect(refusal(text)).toMatchObject({ ...REFUSED, field });
    expect(Reflect.get({}, "polluted")).toBeUndefined();
  });

  test.each(['{"id":1,"id":2}', '{"a":{"id":1,"b":[{"id":1}],"id":2}}', '{"id":1,"\\u0069d":2}'])(
    "%s has a key twice",
    (text) => {
      expect(refusal(text)).toMatchObject({ ...REFUSED, field: "id" });
    },
  );

  test("the same key in several objects is no repetition", () => {
    expect(read('{"id":{"id":[{"id":1},{"id":"id"}]}}')).toBeTypeOf("object");
  });

  test("a long key is not repeated in the message", () => {
    const key = "secret ".repeat(20);
    expect(JSON.stringify(refusal(`{"${key}":1,"${key}":2}`))).not.toContain("secret");
  });
});

test.each(["1e400", "-1e400", `[${"9".repeat(400)}]`, '{"a":1E999}'])("%s is no number", (text) => {
  expect(refusal(text)).toMatchObject(REFUSED);
});

test.each([
  String.raw`"\ud800"`,
  String.raw`"\uDC00"`,
  String.raw`"\ud83d\ud83d"`,
  String.raw`"\ud83dx\ude00"`,
  String.raw`{"\udfff":1}`,
])("%s has half of a pair", (text) => {
  expect(refusal(text)).toMatchObject(REFUSED);
});

test("whole pairs and escaped backslashes are no surrogates", () => {
  expect(read(String.raw`"\ud83d\uDE00 \\ud800"`)).toBe("😀 \\ud800");
});

test.each([
  "",
  "{",
  "}",
  '{"a"}',
  "nul",
  "[1,]",
  "'a'",
  '"\\u12"',
  '"\\',
  "1 2",
  "NaN",
  "Infinity",
  '{"a":01}',
])("%j is no JSON and the refusal does not repeat it", (text) => {
  expect(refusal(text)).toMatchObject({
    ...REFUSED,
    message: expect.stringMatching(/^invalid JSON: [\w ]+$/) as string,
  });
});

test("bytes that are no UTF-8 are refused", () => {
  expect(refusal(Uint8Array.of(0x22, 0xff, 0x22))).toMatchObject(REFUSED);
  expect(refusal(Uint8Array.of(0x22, 0xed, 0xa0, 0x80, 0x22))).toMatchObject(REFUSED);
});

test("a mebibyte of text is looked at in a moment", () => {
  const text = JSON.stringify({ data: 'x\\"'.repeat(250_000) });
  expect(cpuMs(() => expect(read(text)).toBeTypeOf("object"))).toBeLessThan(500);
});
