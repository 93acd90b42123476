// A person at the page: creates a terminal, types, sees what failed, and keeps order.
import type { TerminalId } from "@nacre/contracts";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { requireProgram } from "../../packages/host/src/testing/require-program.ts";
import { PATIENCE, picture, screenText } from "../support/browser.ts";
import { placeOf, WebRig } from "./web-rig.ts";

let rig: WebRig;

beforeAll(async () => {
  rig = await WebRig.open();
});
beforeEach((context) => requireProgram(context, "chromium"));
afterAll(() => rig[Symbol.asyncDispose]());

/** Waits until a command runs, and reads what is typed. */
async function untilRunning(id: TerminalId): Promise<void> {
  const running = async () => (await rig.operator.readTerminal({ id })).runningCommand;
  await expect.poll(running, PATIENCE).toBeDefined();
}

test("a terminal is created, typed into, and a command that fails is in the timeline", async () => {
  const { page, complaints } = await rig.page();
  await page.getByRole("heading", { name: "No terminals" }).waitFor();
  await picture(page, "terminals-empty");
  await page.keyboard.press("n");
  await page.getByLabel("Directory").fill("/nowhere/at/all");
  await page.getByRole("button", { name: "Create" }).click();
  await page.getByRole("alert").filter({ hasText: "/nowhere/at/all" }).waitFor();
  await page.getByLabel("Directory").fill(rig.own.home);
  await page.getByLabel("Command (").fill("HOME=/nonexistent exec bash");
  await page.getByLabel("Title").fill("Mine");
  await picture(page, "create");
  await page.getByRole("button", { name: "Create" }).click();

  await page.getByRole("heading", { name: "Mine" }).waitFor();
  await page.locator(".holder", { hasText: "You" }).waitFor();
  await expect.poll(() => screenText(page), PATIENCE).toMatch(/[#$] *$/);
  await page.keyboard.type("echo h''i");
  await page.keyboard.press("Enter");
  await expect.poll(() => screenText(page), PATIENCE).toMatch(/^hi$/m);
  // The browser itself tells of the directory that was refused.
  expect(complaints).toEqual([expect.stringContaining("400")]);
});

test("the timeline has each command with its exit code, its output and a way to run it again", async () => {
  const id = await rig.shell(rig.operator, { name: "Build" });
  const { page, complaints } = await rig.page(placeOf(id));
  const timeline = page.getByRole("complementary", { name: "Commands" });
  await timeline.getByText("No command yet").waitFor();
  await page.getByRole("button", { name: "Take over" }).click();
  await page.locator(".holder", { hasText: "You" }).waitFor();
  await page.keyboard.type("echo to''-stdout; (exit 42)");
  await page.keyboard.press("Enter");
  const command = timeline.getByRole("listitem").filter({ hasText: "exit 42" });
  await command.waitFor();
  await command.locator(".command-line").click();
  await command.getByLabel("Output", { exact: true }).filter({ hasText: "to-stdout" }).waitFor();
  await command.getByRole("button", { name: "Copy its output" }).click();
  await page.getByText("The output is copied.").waitFor();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe("to-stdout\n");
  await command.getByRole("button", { name: "Run it again" }).click();
  await expect.poll(() => timeline.getByText("exit 42").count(), PATIENCE).toBe(2);
  await picture(page, "timeline");
  expect(complaints).toEqual([]);
});

test("the size follows who drives", async () => {
  const id = await rig.shell();
  const { page } = await rig.page(placeOf(id));
  const sizeOf = async () => (await rig.operator.readTerminal({ id })).cols;
  await page.locator(".xterm-rows").waitFor();
  expect(await sizeOf()).toBe(80);
  await page.getByRole("button", { name: "Take over" }).click();
  await expect.poll(sizeOf, PATIENCE).toBeGreaterThan(100);
  await page.setViewportSize({ width: 700, height: 600 });
  await expect.poll(sizeOf, PATIENCE).toBeLessThan(100);
});

test("what failed, asks or waits is on top of the list, and what was looked at is not", async () => {
  const id = await rig.shell(rig.operator, { name: "Needs a look" });
  await rig.operator.runCommand({ id, commandLine: "(exit 7)" });
  const { page, complaints } = await rig.page();
  const need = page.getByRole("listitem").filter({ hasText: "Needs a look" });
  await need.getByText("failed: exit 7").waitFor();
  await picture(page, "terminals");
  await need.getByRole("link", { name: "Look", exact: true }).click();
  await page.getByRole("heading", { name: "Needs a look" }).waitFor();
  await page.getByRole("button", { name: "All terminals" }).click();
  await page.getByRole("row").filter({ hasText: "Needs a look" }).waitFor();
  expect(await need.count()).toBe(0);
  expect(complaints).toEqual([]);
});

test("the list is filtered, and terminals are renamed and ended from it", async () => {
  const id = await rig.shell(rig.operator, { name: "Sort me" });
  await rig.shell(rig.operator, { name: "Not me" });
  const { page, complaints } = await rig.page();
  await page.getByRole("row").filter({ hasText: "Not me" }).waitFor();
  await page.keyboard.press("/");
  await page.keyboard.type("sort");
  await expect.poll(() => page.locator(".terminal-row").count()).toBe(1);
  await page.getByRole("button", { name: "More for Sort me" }).click();
  await page.getByRole("button", { name: "Rename" }).click();
  // The field has the focus, and what is typed replaces the title.
  await expect
    .poll(() => page.getByLabel("Title").evaluate((field) => field.matches(":focus")), PATIENCE)
    .toBe(true);
  await page.keyboard.type("Sorted out");
  await page.keyboard.press("Enter");
  await page.getByRole("row").filter({ hasText: "Sorted out" }).waitFor();
  await page.getByRole("button", { name: "More for Sorted out" }).click();
  await page.getByRole("button", { name: "End its programs" }).click();
  await page.getByRole("button", { name: "End", exact: true }).click();
  await page
    .getByRole("row")
    .filter({ hasText: /SIG\w+|exit \d/ })
    .waitFor();
  await page.getByRole("button", { name: "Running" }).click();
  await page.getByRole("heading", { name: "Nothing fits" }).waitFor();
  await page.getByRole("button", { name: "Show all" }).click();
  expect((await rig.operator.readTerminal({ id })).title).toBe("Sorted out");
  expect(complaints).toEqual([]);
});

test("keys of programs stay theirs; the page has its own with Ctrl and Shift", async () => {
  const id = await rig.shell();
  const { page, complaints } = await rig.page(placeOf(id));
  await page.getByRole("button", { name: "Take over" }).click();
  await page.locator(".holder", { hasText: "You" }).waitFor();
  await page.keyboard.type("cat -v");
  await page.keyboard.press("Enter");
  await untilRunning(id);
  await page.keyboard.type("?/n needle");
  await page.keyboard.press("Enter");
  await expect.poll(() => screenText(page), PATIENCE).toMatch(/needle\n\?\/n needle/);
  await page.keyboard.press("Control+Shift+F");
  await page.keyboard.type("needle");
  // Not one letter of it went to the program.
  expect(await page.getByRole("searchbox").inputValue()).toBe("needle");
  await page.getByRole("search").getByText("of 2").waitFor();
  await page.keyboard.press("Escape");
  await page.evaluate(() => navigator.clipboard.writeText("pasted text"));
  await page.keyboard.press("Control+Shift+V");
  await expect.poll(() => screenText(page), PATIENCE).toContain("pasted text");
  await page.keyboard.press("Control+C");
  await expect.poll(() => screenText(page), PATIENCE).toContain("^C");
  expect(complaints).toEqual([]);
});

test("a phone has the keys that its keyboard lacks", async () => {
  const id = await rig.shell();
  const { page, complaints } = await rig.page(placeOf(id), {
    viewport: { width: 390, height: 844 },
    hasTouch: true,
    isMobile: true,
  });
  await page.getByRole("button", { name: "Take over" }).tap();
  await page.locator(".holder", { hasText: "You" }).waitFor();
  await page.keyboard.type("sleep 600");
  await page.keyboard.press("Enter");
  await untilRunning(id);
  await page.getByRole("button", { name: "Ctrl" }).tap();
  await page.keyboard.type("c");
  await expect.poll(() => screenText(page), PATIENCE).toContain("^C");
  const { scrollWidth, clientWidth } = await page.evaluate(() => document.documentElement);
  expect(scrollWidth).toBe(clientWidth);
  expect(complaints).toEqual([]);
});
