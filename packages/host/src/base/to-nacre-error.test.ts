import { NacreError } from "@nacre/contracts/plain";
import { expect, test } from "vitest";
import { toNacreError } from "./to-nacre-error.ts";

test("a failure that the caller can act on is told as it is", () => {
  const error = new NacreError("claim_held", "somebody types");
  expect(toNacreError(error)).toBe(error);
});

test.each([new TypeError("x is undefined at /secret/path"), "a string", undefined])(
  "a bug (%s) is internal and says nothing of itself",
  (bug) => {
    const error = toNacreError(bug);
    expect(error).toMatchObject({ code: "internal", message: "something went wrong in the host" });
    expect(error.cause).toBeUndefined();
  },
);
