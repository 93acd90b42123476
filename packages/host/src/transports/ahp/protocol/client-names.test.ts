import { CallerId, ClientId } from "@nacre/contracts";
import { describe, expect, test } from "vitest";
import { ClientNames } from "./client-names.ts";

const names = new ClientNames(CallerId.parse("token:ann"));
const nobody = (): boolean => false;
const refused = (field: string) =>
  expect.objectContaining({ code: -32602, data: expect.objectContaining({ field }) });

describe("a client of the same caller", () => {
  test("is known by what it calls itself", () => {
    expect(names.own("win-1")).toBe("token:ann#win-1");
    expect(names.toWire("token:ann#win-1")).toBe("win-1");
    expect(names.toCore("win-1", nobody)).toBe("token:ann#win-1");
  });

  test("may have any name that fits, also one with a number sign", () => {
    const known = ClientId.parse("token:ann#a#b");
    expect(names.own("a#b")).toBe(known);
    expect(names.toCore("a#b", (clientId) => clientId === known)).toBe(known);
  });

  test.each([["host"], [""], ["a\n"], ["a".repeat(247)]])("is not called %j", (wire) => {
    expect(() => names.own(wire)).toThrow(refused("clientId"));
    expect(() => names.toCore(wire, nobody)).toThrow(refused("claim.clientId"));
  });

  test("has a name of up to 256 characters in full", () => {
    expect(names.own("a".repeat(246))).toHaveLength(256);
  });
});

describe("a client of another caller", () => {
  test.each(["token:bob#win-1", "host", "browser", "token:annette#x"])(
    "%s is shown in full",
    (id) => {
      expect(names.toWire(id)).toBe(id);
    },
  );

  test("is meant when it is named in full", () => {
    expect(names.toCore("token:bob#win-1", nobody)).toBe("token:bob#win-1");
  });

  test("cannot be posed as", () => {
    expect(names.own("token:bob#win-1")).toBe("token:ann#token:bob#win-1");
  });
});
