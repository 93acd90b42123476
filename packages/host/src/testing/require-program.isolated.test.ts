import { afterEach, expect, test, vi } from "vitest";
import { requireProgram } from "./require-program.ts";

afterEach(() => vi.unstubAllEnvs());

const skipped = {
  skip: (reason: string): never => {
    throw new Error(`skipped: ${reason}`);
  },
};

test("a test goes on where its program is", () => {
  expect(() => requireProgram(skipped, "sh")).not.toThrow();
});

test("a test without its program is skipped with the reason", () => {
  vi.stubEnv("CI", "");
  expect(() => requireProgram(skipped, "no-such-program")).toThrow(
    "skipped: no-such-program is not installed",
  );
});

test("a test without its program fails where CI=true", () => {
  vi.stubEnv("CI", "true");
  expect(() => requireProgram(skipped, "no-such-program")).toThrow("allows no skipping");
});
