// Secrets that a person types into the terminal in which the CLI runs.
import { expect, test } from "vitest";
import { PATIENCE, UserScreen } from "./user-screen.ts";

const ASK = "stty -echo; printf 'Password: '; read -r x; stty echo; echo got-${#x}; cat";

/** A user whose program asks for a password, and who is asked for it. */
async function asked(): Promise<UserScreen & { readonly modesBefore: string }> {
  const user = await UserScreen.open();
  user.result("new", "--name", "ask", "--", "sh", "-c", ASK);
  user.result("wait", "ask", "--input-needed", "--timeout", "20s");
  const modesBefore = await user.ownModes();
  await user.line("$NACRE answer ask");
  await user.sees(/^Password:/m);
  return Object.assign(user, { modesBefore });
}

test("a secret is typed without being shown, and the terminal shows again what is typed afterwards", async () => {
  await using user = await asked();
  await user.type("hunterx");
  await user.keys("BSpace");
  await user.type("2");
  await user.keys("Enter");
  await expect.poll(() => user.nacre("screen", "ask").stdout, PATIENCE).toContain("got-7");
  await user.worksAgain();
  expect(await user.ownModes()).toBe(user.modesBefore);
  expect(await user.history()).not.toMatch(/hunter/);
  expect(user.nacre("logs", "ask").stdout).not.toMatch(/hunter/);
});

test("who leaves with Ctrl-C answers nothing", async () => {
  await using user = await asked();
  await user.type("hunter2");
  await user.keys("C-c");
  await user.sees("no answer was given");
  await user.worksAgain();
  expect(await user.ownModes()).toBe(user.modesBefore);
  expect(await user.history()).not.toMatch(/hunter/);
  expect(user.nacre("screen", "ask").stdout).not.toContain("got-");
});
