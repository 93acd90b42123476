import { expect, test } from "vitest";
import { withoutTerminal } from "./start-daemon.ts";

test("a daemon does not carry the mark of the terminal that it was started from", () => {
  const env = {
    PATH: "/bin",
    NACRE_HOME: "/x",
    NACRE_PTY_ID: "1",
    NACRE_TERMINAL_ID: "terminal:1",
  };
  expect(withoutTerminal(env)).toEqual({ PATH: "/bin", NACRE_HOME: "/x" });
});
