import { expect, test } from "vitest";
import { z } from "zod";
import { refusal, TERMINAL_INPUT } from "./fixtures.ts";
import * as contracts from "./index.ts";
import { parse } from "./parse.ts";
import { TerminalInputSchema } from "./terminal-input.ts";

test("a refusal names the field by its whole path", () => {
  const value = { ...TERMINAL_INPUT, size: { cols: 80, rows: 24, depth: 1 } };
  expect(() => parse(TerminalInputSchema, value, "params")).toThrow(
    expect.objectContaining({ code: "invalid_argument", field: "params.size.depth" }),
  );
});

test("a value of the wrong kind is refused as a whole", () => {
  expect(() => parse(TerminalInputSchema, null)).toThrow(
    expect.objectContaining({ code: "invalid_argument", field: undefined }),
  );
});

test("a refused key is told with what is wrong with it", () => {
  const { field, message } = refusal(TerminalInputSchema, {
    ...TERMINAL_INPUT,
    env: { "A=B": "1" },
  });
  expect(field).toBe("env.A=B");
  expect(message).toBe("env.A=B: must be the name of a variable");
});

const texts = Object.entries(contracts).flatMap(([name, value]) =>
  value instanceof z.ZodString ? [[name, value] as const] : [],
);

test.each(texts)(
  "a text that is no %s is refused in words, not with a pattern",
  (_name, schema) => {
    const { error } = schema.safeParse("\u0000\ud800");
    expect(error?.issues.length).toBeGreaterThan(0);
    for (const { message } of error?.issues ?? []) expect(message).not.toMatch(/[\\^$[\]{}]/);
  },
);

test.each([
  ["TerminalId", "expected `terminal:` and 1 to 128 letters, digits, `_` or `-`"],
  ["CallerId", "expected 1 to 256 visible ASCII characters"],
  ["Channel", "such as `terminal:a1.data.changed`"],
])("a refusal of a %s says what is expected", (name, words) => {
  const schema = texts.find(([text]) => text === name)?.[1] ?? z.never();
  expect(refusal(schema, "terminal:a b").message).toContain(words);
});

test.each([
  [z.string(), undefined, "value: is missing"],
  [z.string(), 5, "value: expected a string, got a number"],
  [z.string().min(1), "", "value: must not be empty"],
  [z.string().max(2), "abc", "value: must have at most 2 characters"],
  [z.int(), 1.5, "value: expected an integer, got 1.5"],
  [z.int().min(0), -1, "value: must be at least 0"],
  [z.array(z.string()).max(1), ["a", "b"], "value: must have at most 1 items"],
  [z.enum(["a", "b"]), "c", "value: expected one of a, b"],
  [z.union([z.string(), z.int()]), {}, "value: has none of the allowed forms"],
  [z.strictObject({}), { x: 1 }, "x: is unknown"],
])("what a schema refuses is told in words (%#)", (schema, value, message) => {
  expect(refusal(schema, value).message).toBe(message);
});
