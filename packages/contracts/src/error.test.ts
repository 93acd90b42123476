import { expect, test } from "vitest";
import { ErrorBody, errorBodyOf } from "./error-body.ts";
import { ERRORS } from "./error.ts";
import { decodeError, encodeError, NacreError } from "./nacre-error.ts";

/** What each exit code of the command line means; a code outside this list is not documented. */
const EXIT_CODES = [1, 2, 3, 4, 5, 6, 7, 11, 126, 127];

test("codes are written alike, in the form that the wire asks for", () => {
  for (const code of Object.keys(ERRORS)) {
    expect(code).toMatch(/^[a-z]+(_[a-z]+)*$/);
    expect(ErrorBody.safeParse({ error: { code, message: "", suggestion: "" } }).success).toBe(
      true,
    );
  }
});

test("no two codes mean the same or have the same words", () => {
  const meanings = Object.values(ERRORS).map(({ meaning }) => meaning.toLowerCase());
  expect(new Set(meanings).size).toBe(meanings.length);
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
  ["not understood", 502, [7]],
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

test("an answer in an unknown shape has a code of its own", () => {
  expect(ERRORS.unexpected_answer).toMatchObject({
    httpStatus: 502,
    jsonRpcCode: -32603,
    fileClass: "unavailable",
    cliExitCode: 7,
  });
});

test("an error is told with its details", () => {
  const details = { allowed: ["/bin/sh"], nested: { count: 1 } };
  const body = errorBodyOf(new NacreError("shell_not_allowed", "no", { details }));
  expect(ErrorBody.parse(body).error.details).toEqual(details);
});

test.each([
  ["a code of a newer host", { code: "quota_spent" }, true],
  ["a code in capitals", { code: "Quota" }, false],
  ["a code that begins with a line", { code: "_quota" }, false],
  ["details that are no object", { details: [1] }, false],
  ["details that are no JSON", { details: { at: new Date(0) } }, false],
])("%s is understood or refused", (_what, part, isUnderstood) => {
  const error = { code: "internal", message: "m", suggestion: "s", ...part };
  expect(ErrorBody.safeParse({ error }).success).toBe(isUnderstood);
});

test("an error crosses as JSON with everything but its cause", () => {
  const options = { field: "size", suggestion: "Ask for less.", details: { isClosing: true } };
  const error = new NacreError("limit_reached", "too large", { ...options, cause: new Error() });
  const json: unknown = JSON.parse(JSON.stringify(encodeError(error)));
  const decoded = decodeError(json, "internal");
  expect(decoded).toMatchObject({ code: "limit_reached", message: "too large", ...options });
  expect(decoded.cause).toBeUndefined();
});

test("an error of an unknown code, or of no shape at all, is still an error", () => {
  const json = { code: "quota_spent", message: "no more today", field: 7, details: "none" };
  const { code, message, field, details } = decodeError(json, "unavailable");
  expect({ code, message }).toEqual({
    code: "unavailable",
    message: "quota_spent: no more today",
  });
  expect([field, details]).toEqual([undefined, undefined]);
  expect(decodeError(null, "internal")).toMatchObject({
    code: "internal",
    suggestion: ERRORS.internal.nextStep,
  });
  expect(decodeError(null, "internal").message).toBe("an error without a message");
});
