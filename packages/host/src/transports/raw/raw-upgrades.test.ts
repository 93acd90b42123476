import { expect, test } from "vitest";
import { matchUpgradePath, UPGRADE_PATHS } from "./raw-upgrades.ts";

test.each(UPGRADE_PATHS)("$path is found", ({ path, kind }) => {
  expect(matchUpgradePath(path.replace("{id}", "terminal:a1"))).toMatchObject({ kind });
});

test.each(["terminal:a1", "terminal%3Aa1"])("%s names a terminal", (id) => {
  expect(matchUpgradePath(`/api/terminals/${id}/connect`)).toEqual({
    kind: "connect",
    id: "terminal:a1",
  });
});

test.each(["a1", "", "terminal:", "terminal%3", "terminal:a%2Fb", "terminal:a b"])(
  "%j names no terminal",
  (id) => {
    expect(matchUpgradePath(`/api/terminals/${id}/connect`)).toEqual({
      kind: "connect",
      id: undefined,
    });
  },
);

test.each([
  "/",
  "",
  "/api/terminal/ws/",
  "/api/terminal/ws/x",
  "//api/terminal/ws",
  "/api/terminals/terminal:a1",
  "/api/terminals/terminal:a1/connect/x",
  "/api/terminals/terminal:a1/b/connect",
  "/API/terminals/terminal:a1/connect",
])("%j is no path of ours", (path) => {
  expect(matchUpgradePath(path)).toBeUndefined();
});
