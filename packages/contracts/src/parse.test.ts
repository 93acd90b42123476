import { expect, test } from "vitest";
import { TERMINAL_INPUT } from "./fixtures.ts";
import { parse } from "./parse.ts";
import { TerminalInputSchema } from "./terminal.ts";

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
