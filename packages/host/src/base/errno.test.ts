import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { errnoOf, hasErrno } from "./errno.ts";

test("an error of the system is told by its name", () => {
  let error: unknown;
  try {
    readFileSync("/nowhere/at/all");
  } catch (thrown) {
    error = thrown;
  }
  expect(errnoOf(error)).toBe("ENOENT");
  expect([hasErrno(error, "EACCES", "ENOENT"), hasErrno(error, "EACCES")]).toEqual([true, false]);
});

test.each([new Error("other"), { code: "ENOENT" }, undefined])(
  "%s is no error of the system",
  (value) => {
    expect([errnoOf(value), hasErrno(value, "ENOENT")]).toEqual([undefined, false]);
  },
);
