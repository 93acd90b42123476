import { expect, test } from "vitest";
import { ErrorBody, errorBodyOf } from "./error-body.ts";
import { ERRORS, NacreError } from "./error.ts";

/** What each exit code of the command line means; a code outside this list is not documented. */
const EXIT_CODES = [1, 2, 3, 4, 5, 6, 7, 11, 126, 127];

test("codes are written alike and are unique whatever their case", () => {
  const codes = Object.keys(ERRORS);
  for (const code of codes) expect(code).toMatch(/^[a-z]+(_[a-z]+)*$/);
  expect(new Set(codes).size).toBe(codes.length);
});

test.each(Object.entries(ERRORS))("%s is spelled on every wire", (_code, row) => {
  expect(row.httpStatus).toBeGreaterThanOrEqual(400);
  expect(row.httpStatus).toBeLessThan(600);
  expect(row.jsonRpcCode).toBeLessThan(-32000);
  expect(EXIT_CODES).toContain(row.cliExitCode);
  expect(row.meaning).toMatch(/^[A-Z].*\.$/);
  expect(row.nextStep).toMatch(/^[A-Z].*\.$/);
});

test.each([
  ["not found", 404, [3]],
  ["no credential", 401, [5]],
  ["not allowed", 403, [5]],
  ["too large", 413, [6]],
  ["over a limit", 429, [6]],
  ["too late", 408, [11]],
  ["not available", 503, [7]],
  ["not supported", 501, [7]],
  ["a fault", 500, [1]],
])("the exit code of what is %s over HTTP agrees", (_what, status, exitCodes) => {
  const rows = Object.values(ERRORS).filter(({ httpStatus }) => httpStatus === status);
  expect(rows.length).toBeGreaterThan(0);
  for (const { cliExitCode } of rows) expect(exitCodes).toContain(cliExitCode);
});

test.each([
  ["timeout", [11]],
  ["limit", [6]],
  ["enoent", [3, 127]],
  ["unsupported", [7]],
])("the exit code of the file error class %s agrees", (fileClass, exitCodes) => {
  const rows = Object.values(ERRORS).filter((row) => row.fileClass === fileClass);
  expect(rows.length).toBeGreaterThan(0);
  for (const { cliExitCode } of rows) expect(exitCodes).toContain(cliExitCode);
});

test("an error is told with its code, field and next step, without its cause", () => {
  const error = new NacreError("invalid_argument", "cols: too small", {
    field: "size.cols",
    cause: new Error("secret"),
  });
  const body = errorBodyOf(error);
  expect(ErrorBody.parse(body)).toEqual({
    error: {
      code: "invalid_argument",
      message: "cols: too small",
      field: "size.cols",
      suggestion: ERRORS.invalid_argument.nextStep,
    },
  });
});
