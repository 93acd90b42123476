import { describe, expect, test } from "vitest";
import { RouteMatcher } from "./route-matcher.ts";
import { cpuMs } from "../../testing/cpu-ms.ts";

const route = (method: string, path: string) => ({ method, path });

const matcher = new RouteMatcher([
  route("GET", "/"),
  route("GET", "/api/terminals"),
  route("POST", "/api/terminals"),
  route("GET", "/api/terminals/{id}"),
  route("DELETE", "/api/terminals/{id}"),
  route("POST", "/api/terminals/{id}/claim/hand-back"),
  route("GET", "/api/terminals/{id}/commands/{commandId}"),
  route("GET", "/api/terminals/mine"),
]);

describe("a path", () => {
  test("is found with what stands in it, decoded", () => {
    expect(matcher.match("GET", "/api/terminals/terminal%3Aa1/commands/c1")).toEqual({
      kind: "found",
      route: route("GET", "/api/terminals/{id}/commands/{commandId}"),
      parameters: { id: "terminal:a1", commandId: "c1" },
    });
  });

  test("is found by its literal segment before a parameter", () => {
    expect(matcher.match("GET", "/api/terminals/mine")).toMatchObject({
      route: route("GET", "/api/terminals/mine"),
    });
  });

  test("has its own methods, and HEAD where it has GET", () => {
    expect(matcher.match("HEAD", "/api/terminals")).toMatchObject({ kind: "found" });
    expect(matcher.match("PUT", "/api/terminals")).toEqual({
      kind: "otherMethod",
      allow: ["GET", "HEAD", "POST"],
    });
    expect(matcher.match("HEAD", "/api/terminals/a/claim/hand-back")).toEqual({
      kind: "otherMethod",
      allow: ["POST"],
    });
  });

  test.each([
    "",
    "api/terminals",
    "//",
    "/api",
    "/api/",
    "/api/terminals/",
    "/API/terminals",
    "/api/terminals/a/",
    "/api//a",
    "/api/terminals/a/../b",
    "/api%2Fterminals",
    "/{id}",
    "/a/b/c/d/e/f",
    "*",
  ])("%j is not known", (path) => {
    expect(matcher.match("GET", path)).toEqual({ kind: "unknown" });
  });

  test("may hold anything encoded as one segment, and nothing else", () => {
    const found = matcher.match("GET", "/api/terminals/..%2F%2e%2e%2fetc");
    expect(found).toMatchObject({ parameters: { id: "../../etc" } });
  });

  test("that is not encoded as it must be is refused by name", () => {
    for (const id of ["%", "%zz", "%ff", "%ed%a0%80"]) {
      expect(() => matcher.match("GET", `/api/terminals/${id}`)).toThrow("id: is not encoded");
    }
  });
});

test("a path of very many segments takes no time", () => {
  const match = (): void =>
    expect(matcher.match("GET", "/a".repeat(100_000))).toEqual({ kind: "unknown" });
  expect(cpuMs(match)).toBeLessThan(200);
});

test("a table with one route twice is refused", () => {
  expect(() => new RouteMatcher([route("GET", "/a"), route("GET", "/a")])).toThrow(
    "two routes are GET /a",
  );
});
