import { expect, test } from "vitest";
import { addressVariables, findDirectories } from "./directories.ts";

test("NACRE_HOME has everything below it", () => {
  expect(
    findDirectories({ NACRE_HOME: "/x/y", XDG_RUNTIME_DIR: "/run/user/7" }, "/home/ada"),
  ).toEqual({ home: "/x/y", state: "/x/y", run: "/x/y/run", config: "/x/y" });
});

test("without it the base directories count", () => {
  const env = { XDG_STATE_HOME: "/s", XDG_RUNTIME_DIR: "/run/user/7", XDG_CONFIG_HOME: "/c" };
  expect(findDirectories(env, "/home/ada")).toEqual({
    home: "/s/nacre",
    state: "/s/nacre",
    run: "/run/user/7/nacre",
    config: "/c/nacre",
  });
});

test("without any, or with relative ones, everything is below the home of the user", () => {
  const expected = {
    home: "/home/ada/.local/state/nacre",
    state: "/home/ada/.local/state/nacre",
    run: "/home/ada/.local/state/nacre/run",
    config: "/home/ada/.config/nacre",
  };
  expect(findDirectories({}, "/home/ada")).toEqual(expected);
  const relative = { XDG_STATE_HOME: "s", XDG_RUNTIME_DIR: "r", XDG_CONFIG_HOME: "c" };
  expect(findDirectories(relative, "/home/ada")).toEqual(expected);
});

test("programs are told the socket, and the home only where that names the daemon", () => {
  const named = findDirectories({ NACRE_HOME: "/x/y" }, "/home/ada");
  expect(addressVariables(named)).toEqual({
    NACRE_SOCKET: "/x/y/run/nacre.sock",
    NACRE_HOME: "/x/y",
  });
  const usual = findDirectories({ XDG_RUNTIME_DIR: "/run/user/7" }, "/home/ada");
  expect(addressVariables(usual)).toEqual({ NACRE_SOCKET: "/run/user/7/nacre/nacre.sock" });
});
