import { CallerId } from "@nacre/contracts";
import { expect, test } from "vitest";
import { clientIdOf } from "./client-id.ts";

const BOB = CallerId.parse("bob");

test("a client has its caller's name, and its label behind it", () => {
  expect(clientIdOf(BOB, undefined)).toBe("bob");
  expect(clientIdOf(BOB, "laptop:1.a_b-c")).toBe("bob#laptop:1.a_b-c");
});

test("a label cannot name the host or another's client", () => {
  expect(clientIdOf(BOB, "host")).toBe("bob#host");
  expect(clientIdOf(BOB, "eve")).toBe("bob#eve");
  for (const label of ["", "eve#laptop", "#", "a b", "a\nb", "é", "x".repeat(65)]) {
    expect(() => clientIdOf(BOB, label)).toThrow("expected 1 to 64 letters");
  }
});
