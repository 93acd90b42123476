import { expect, test } from "vitest";
import { UserScreen } from "./user-screen.ts";

/** A recording with two commands, a question in its output, and long times without anything. */
const PROGRAM =
  "stty -echo; printf 'one\\033[c\\033]52;c;eA==\\007'; sleep 9; printf '\\r\\ntwo'; sleep 1; exit 0";

test("a recording is played, paused, stepped, searched by keys and left, and nothing in it reaches the terminal", async () => {
  await using user = await UserScreen.open();
  user.nacre("exec", "--tty", "--name", "past", "--", "sh", "-c", PROGRAM);
  const before = await user.ownModes();
  await user.line("echo kept; $NACRE play past");
  await user.sees(/^one/m);
  await user.has("alternate_on", "1");
  await user.keys("Space");
  await user.sees(/past · paused 0:\d\d \/ 0:\d\d ×1/);
  expect(await user.text()).not.toContain("two");
  await user.keys(".");
  await user.sees(/^two[^]*paused 0:(?:09|[1-5]\d)/m);
  await user.keys("Left");
  await user.sees(/^one(?![^]*two)[^]*paused/m);
  await user.keys("Home");
  await user.sees(/paused 0:00 /);
  expect(await user.text()).not.toContain("two");
  await user.keys("<", "<");
  await user.sees("×0.25");
  await user.keys("End");
  await user.sees(/^two/m);
  await user.resize(60, 10);
  await user.sees(/^two[^]*past · paused/m);
  await user.keys("q");
  await user.has("alternate_on", "0");
  await user.sees(/^kept/m);
  await user.hasLeft();
  await user.worksAgain();
  expect(await user.ownModes()).toBe(before);
});

test("times without anything are cut, and the end is stayed at until it is left", async () => {
  await using user = await UserScreen.open();
  const slow = "echo begin; sleep 4; echo over";
  user.nacre("exec", "--tty", "--name", "slow", "--", "sh", "-c", slow);
  await user.line("$NACRE play --speed 8 --idle-time-limit 500ms slow");
  await user.sees(/^over[^]*slow · end /m);
  expect(await user.text()).toMatch(/^begin/);
  await user.keys("q");
  await user.hasLeft();
  await user.worksAgain();
});

test("a terminal that still runs is played up to what it writes now, command by command", async () => {
  await using user = await UserScreen.open();
  user.result("new", "--name", "live");
  user.result("run", "live", "--", "echo alpha");
  user.result("run", "live", "--", "echo beta");
  await user.line("$NACRE play --from 10m live");
  await user.sees(/live · live .*echo beta/);
  user.result("run", "live", "--", "echo gamma");
  await user.sees(/^gamma/m);
  await user.keys("Space", "Home", "]");
  await user.sees(/paused .*echo alpha/);
  await user.keys("]");
  await user.sees(/paused .*echo beta/);
  expect(await user.text()).not.toContain("gamma");
  await user.keys("q");
  await user.hasLeft();
  await user.worksAgain();
});

test("the terminal is restored when the player is killed", async () => {
  await using user = await UserScreen.open();
  user.nacre("exec", "--tty", "--name", "past", "--", "echo", "one");
  const before = await user.ownModes();
  await user.line("$NACRE play past");
  await user.sees(/^one/m);
  process.kill(user.client(), "SIGKILL");
  await user.has("alternate_on", "0");
  await user.has("cursor_flag", "1");
  await user.keys("Enter");
  await user.worksAgain();
  expect(await user.ownModes()).toBe(before);
});
