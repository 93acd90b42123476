// The terminal of the user is as before, however attach ends.
import { expect, test } from "vitest";
import { PATIENCE, UserScreen } from "./user-screen.ts";

/** Attaches to an editor, which sets all modes there are. */
async function attached(): Promise<UserScreen & { readonly modesBefore: string }> {
  const user = await UserScreen.open();
  user.result("new", "--name", "edit", "--", "vim", "-u", "NONE", "-c", "set mouse=a nocp");
  const modesBefore = await user.ownModes();
  await user.line("$NACRE attach edit");
  await user.sees(/^~/m);
  await user.has("mouse_any_flag", "1");
  return Object.assign(user, { modesBefore });
}

/** Waits until the screen is as before and the user's shell works, and tells the modes that its programs get. */
async function restoredModes(user: UserScreen): Promise<string> {
  await user.has("alternate_on", "0");
  await user.has("mouse_any_flag", "0");
  await user.has("keypad_cursor_flag", "0");
  await user.has("cursor_flag", "1");
  await user.keys("Enter");
  await user.worksAgain();
  // While a shell reads a line it has modes of its own; a program that it runs has what the user had.
  return user.ownModes();
}

test("after the client is killed in a way that it cannot notice", async () => {
  await using user = await attached();
  process.kill(user.client(), "SIGKILL");
  expect(await restoredModes(user)).toBe(user.modesBefore);
});

test("after the client is killed so under a shell that restores nothing", async () => {
  await using user = await UserScreen.open();
  user.result("new", "--name", "edit", "--", "vim", "-u", "NONE", "-c", "set mouse=a nocp");
  const before = await user.ownModes();
  await user.line("exec sh -c '$NACRE attach edit; sleep 1000'");
  await user.has("mouse_any_flag", "1");
  expect(await user.modes()).not.toBe(before);
  process.kill(user.client(), "SIGKILL");
  await user.has("mouse_any_flag", "0");
  await user.has("alternate_on", "0");
  await expect.poll(() => user.modes(), PATIENCE).toBe(before);
});

test.each(["SIGTERM", "SIGHUP"] as const)("after %s", async (signal) => {
  await using user = await attached();
  process.kill(user.client(), signal);
  await user.sees(`[detached from edit: ended by ${signal}]`);
  expect(await restoredModes(user)).toBe(user.modesBefore);
});

test("while the client is stopped, and it goes on where it was", async () => {
  await using user = await attached();
  process.kill(user.client(), "SIGTSTP");
  expect(await restoredModes(user)).toBe(user.modesBefore);
  await user.line("fg");
  await user.has("mouse_any_flag", "1");
  await user.keys("i");
  await user.type("again");
  await user.sees(/^again/m);
  await user.keys("C-]", "d");
  await user.sees("[detached from edit]");
  expect(await restoredModes(user)).toBe(user.modesBefore);
});

test("after the daemon restarts, and its terminal has ended with it", async () => {
  await using user = await attached();
  user.nacre("stop");
  await user.sees(/no connection; looking for the daemon|edit ended/);
  user.nacre("ls");
  await user.sees(/\[edit ended: /);
  expect(await restoredModes(user)).toBe(user.modesBefore);
});

test("an editor goes on in attach when the daemon was restarted, and takes keys again", async () => {
  await using user = await attached();
  const restarted = user.begin("restart");
  // It is said for some seconds only, which may be over when the verb is.
  await user.sees(/connected again/);
  await restarted;
  await user.keys("i");
  await user.type("still here");
  await user.sees(/^still here/m);
  await user.keys("C-]", "d");
  await user.sees("[detached from edit]");
  expect(await restoredModes(user)).toBe(user.modesBefore);
});

test("when the user leaves while the daemon is away", async () => {
  await using user = await attached();
  user.killDaemon();
  await user.sees(/no connection; looking for the daemon/);
  await user.keys("C-]", "d");
  await user.sees("[detached from edit]");
  expect(await restoredModes(user)).toBe(user.modesBefore);
});

test("when the window is closed, nothing of attach stays and the program goes on", async () => {
  await using user = await UserScreen.open();
  user.result("new", "--name", "work", "--", "sh", "-c", "trap '' HUP; cat");
  await user.line('tmux new-window -d "$NACRE attach work"');
  await expect.poll(() => user.result("who", "work")["viewers"], PATIENCE).toBe(1);
  await expect.poll(() => user.client(), PATIENCE).toBeGreaterThan(0);
  await expect.poll(() => user.guardians(), PATIENCE).toHaveLength(1);
  await user.line("tmux kill-window -t :1");
  await user.hasLeft();
  await expect.poll(() => user.guardians(), PATIENCE).toEqual([]);
  await expect.poll(() => user.result("who", "work")["viewers"], PATIENCE).toBe(0);
  await expect
    .poll(() => user.nacre("ls").stdout, PATIENCE)
    .toMatch(/^[\w-]+ +work +! waits for a line/m);
});
