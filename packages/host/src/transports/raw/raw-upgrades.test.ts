import { expect, test } from "vitest";
import { CONNECT_PATH, matchConnectPath } from "./raw-upgrades.ts";

test.each(["terminal:a1", "terminal%3Aa1"])("%s names a terminal", (id) => {
  expect(matchConnectPath(CONNECT_PATH.replace("{id}", id))).toEqual({ id: "terminal:a1" });
});

test.each(["a1", "", "terminal:", "terminal%3", "terminal:a%2Fb", "terminal:a b"])(
  "%j names no terminal",
  (id) => {
    expect(matchConnectPath(CONNECT_PATH.replace("{id}", id))).toEqual({ id: undefined });
  },
);

test.each([
  "/",
  "",
  "/api/terminal/ws",
  "//api/terminals/terminal:a1/connect",
  "/api/terminals/terminal:a1",
  "/api/terminals/terminal:a1/connect/x",
  "/api/terminals/terminal:a1/b/connect",
  "/API/terminals/terminal:a1/connect",
])("%j is no path of ours", (path) => {
  expect(matchConnectPath(path)).toBeUndefined();
});
