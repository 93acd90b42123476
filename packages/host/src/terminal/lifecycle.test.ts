import type { TerminalState } from "@nacre/contracts";
import { expect, test } from "vitest";
import { terminalId } from "../testing/terminal-row.ts";
import { Lifecycle } from "./lifecycle.ts";

function lifeTo(...states: readonly TerminalState[]) {
  const seen: TerminalState[] = [];
  const life = new Lifecycle(terminalId("a"), (state) => seen.push(state));
  for (const state of states) life.enter(state);
  return { life, seen };
}

test("a terminal goes from creating to exited, and every step is told", () => {
  const { life, seen } = lifeTo("active", "killing", "exited");
  expect(seen).toEqual(["active", "killing", "exited"]);
  expect(life.isRunning).toBe(false);
});

test("what is over stays over", () => {
  const { life } = lifeTo("active", "exited");
  expect(() => life.enter("active")).toThrow("terminal:a is exited and cannot become active");
});

test("what needs a program is refused without one, with the state and the next step", () => {
  const { life } = lifeTo("active", "exited");
  expect(() => life.requireRunning("type")).toThrow("terminal:a is exited, cannot type");
  expect(lifeTo("active").life.isRunning).toBe(true);
});
