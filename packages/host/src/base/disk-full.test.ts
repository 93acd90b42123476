import { expect, test } from "vitest";
import { toNacreError } from "./to-nacre-error.ts";

const failure = (code: string, more: object = {}): Error =>
  Object.assign(new Error(`${code}: no space left on device, write`), { code, ...more });

test.for(["ENOSPC", "EDQUOT"])(
  "%s is told as a full disk, with the file and what to do",
  (code) => {
    expect(toNacreError(failure(code, { path: "/state/tokens.json" }))).toMatchObject({
      code: "recording_blocked",
      message: "the disk is full: /state/tokens.json cannot be written",
      suggestion: expect.stringContaining("Make room on the disk") as string,
    });
    expect(toNacreError(failure(code)).message).toBe("the disk is full: a file cannot be written");
  },
);

test("any other failure of the system is a bug, and says nothing of itself", () => {
  expect(toNacreError(failure("EIO", { path: "/state/tokens.json" }))).toMatchObject({
    code: "internal",
    message: "something went wrong in the host",
  });
});
