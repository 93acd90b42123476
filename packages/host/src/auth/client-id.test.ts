import { CallerId } from "@nacre/contracts";
import { expect, test } from "vitest";
import { makeClientId } from "./auth-context.ts";

const BOB = CallerId.parse("bob");

test("a client has its caller's name, and its label behind it", () => {
  expect(makeClientId(BOB, undefined)).toBe("bob");
  expect(makeClientId(BOB, "laptop:1.a_b-c")).toBe("bob#laptop:1.a_b-c");
});

test("a label cannot name the host or another's client", () => {
  expect(makeClientId(BOB, "host")).toBe("bob#host");
  expect(makeClientId(BOB, "eve")).toBe("bob#eve");
  for (const label of ["", "eve#laptop", "#", "a b", "a\nb", "é", "x".repeat(65)]) {
    expect(() => makeClientId(BOB, label)).toThrow("expected 1 to 64 letters");
  }
});
