import { expect, test } from "vitest";
import { parseOptions, refuseToken } from "./parse-options.ts";

const OPTIONS = { port: { type: "string" }, quiet: { type: "boolean" } } as const;

test("options are read as they were declared", () => {
  expect(parseOptions("serve", ["--port", "0", "--quiet"], OPTIONS)).toEqual({
    port: "0",
    quiet: true,
  });
});

test.each([
  ["an unknown option", ["--prot", "1"], "serve: Unknown option '--prot'"],
  ["an argument", ["extra"], "serve: Unexpected argument 'extra'"],
  ["a missing value", ["--port"], "serve: Option '--port <value>' argument missing"],
  ["a value for a switch", ["--quiet=1"], "serve: Option '--quiet' does not take an argument"],
])("%s is a usage error", (_, args, message) => {
  expect(() => parseOptions("serve", args, OPTIONS)).toThrow(
    expect.objectContaining({ code: "invalid_argument", message }) as Error,
  );
});

test.each([["--token=abc"], ["--token"], ["-token"]])("%s is refused everywhere", (arg) => {
  expect(() => refuseToken(["serve", arg, "abc"])).toThrow("could be read by everybody");
});
