// What axe finds on each view, by day and by night.
import { createRequire } from "node:module";
import type { AxeResults } from "axe-core";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { requireProgram } from "../../packages/host/src/testing/require-program.ts";
import { PATIENCE, screenText } from "../support/browser.ts";
import { placeOf, WebRig } from "./web-rig.ts";

const AXE = createRequire(import.meta.url).resolve("axe-core/axe.min.js");

/** Every colour of a page is looked at; on a busy machine that takes its time. */
const DEADLINE_MS = 120_000;

let rig: WebRig;

beforeAll(async () => {
  rig = await WebRig.open();
});
beforeEach((context) => requireProgram(context, "chromium"));
afterAll(() => rig[Symbol.asyncDispose]());

/** What is wrong with a page, in words; the letters of a screen are the program's. */
async function problemsOf(page: Page): Promise<readonly string[]> {
  const found: string[] = [];
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme });
    const results = await page.evaluate<AxeResults>(`axe.run({ exclude: [".xterm-screen"] })`);
    for (const { impact, id, nodes } of results.violations) {
      if (impact !== "serious" && impact !== "critical") continue;
      found.push(`${colorScheme} ${id}: ${nodes.map(({ html }) => html).join(" ")}`);
    }
  }
  return found;
}

/** A page that axe can look at; the rules of the page would keep it out. */
async function open(to: string): Promise<Page> {
  const { page } = await rig.page(to, { bypassCSP: true });
  await page.addScriptTag({ path: AXE });
  return page;
}

test(
  "no terminals, the dialog for a new one, and the keys",
  async () => {
    const page = await open("/");
    await page.getByRole("heading", { name: "No terminals" }).waitFor();
    expect(await problemsOf(page)).toEqual([]);
    await page.keyboard.press("n");
    await page.getByRole("dialog", { name: "New terminal" }).waitFor();
    expect(await problemsOf(page)).toEqual([]);
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "hidden" });
    await page.keyboard.press("?");
    await page.getByRole("dialog", { name: "Keys" }).waitFor();
    expect(await problemsOf(page)).toEqual([]);
  },
  DEADLINE_MS,
);

test(
  "a list with everything that can need a person, and a terminal",
  async () => {
    const agent = await rig.agent("helper");
    const id = await rig.shell(agent, { name: "One" });
    await agent.runCommand({ id, commandLine: "echo hi; false" });
    const ended = { command: "false", workingDirectory: rig.own.home, name: "Two" };
    await rig.operator.createTerminal(ended);
    const asked = await rig.shell(agent, { name: "Three" });
    await agent.sendInput({ id: asked, data: "read -rsp 'Password: '\r" });
    await rig.operator.requestControl({ id, note: "please" });
    const page = await open("/");
    await page.getByText("asks for a secret").waitFor();
    await page.getByText("asks for control").waitFor();
    await page.getByText("failed: exit 1").first().waitFor();
    expect(await problemsOf(page)).toEqual([]);
    await page.setViewportSize({ width: 390, height: 844 });
    expect(await problemsOf(page)).toEqual([]);
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.getByRole("link", { name: "One" }).first().click();
    await expect.poll(() => screenText(page), PATIENCE).toContain("hi");
    await page.locator(".command-line").first().click();
    await page.getByLabel("Output", { exact: true }).waitFor();
    expect(await problemsOf(page)).toEqual([]);
    await page.getByRole("button", { name: "Take over" }).click();
    await page.locator(".terminal-actions").getByRole("button", { name: "Hand over" }).click();
    await page.getByRole("dialog", { name: "Hand over" }).waitFor();
    expect(await problemsOf(page)).toEqual([]);
    await page.keyboard.press("Escape");
  },
  DEADLINE_MS,
);

test("a screen is read out in screen reader mode", async () => {
  const id = await rig.shell();
  await rig.operator.runCommand({ id, commandLine: "echo read me" });
  const page = await open(placeOf(id));
  await page.getByRole("button", { name: "Screen reader mode" }).click();
  await page.locator(".xterm-accessibility-tree", { hasText: "read me" }).waitFor();
  await page.reload();
  const read = page.locator(".xterm-accessibility-tree", { hasText: "read me" });
  await expect.poll(() => read.count(), PATIENCE).toBe(1);
});
