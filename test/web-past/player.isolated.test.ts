// Recordings as a person plays them.
import { readFile } from "node:fs/promises";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { requireProgram } from "../../packages/host/src/testing/require-program.ts";
import { PATIENCE, picture } from "../support/browser.ts";
import { PastRig, playedText, seriousProblems, uidOf, untilShown } from "./past-rig.ts";

let rig: PastRig;

beforeAll(async () => {
  rig = await PastRig.open();
});

beforeEach((context) => requireProgram(context, "chromium"));

afterAll(() => rig[Symbol.asyncDispose]());

/** A program that colours, moves the cursor and waits in between. */
const SHOW = [
  "printf 'one\\n'; sleep 0.4",
  "printf '\\033[31mtwo\\033[m wide \\344\\275\\240\\n'; sleep 0.4",
  "printf '\\033[5;10Hmoved\\033[c\\033[6n'; sleep 0.4",
  "printf '\\033[8;1Hlast'; exit 4",
].join("; ");

/** The text of a screen of the recording, as the host knows it. */
async function hostText(id: string, query = ""): Promise<string> {
  const { text } = await rig.daemon.ask("GET", `/api/terminals/${id}/screen?format=text${query}`);
  return String(text).trimEnd();
}

/** When the entry that has this in its output happened. */
async function momentOf(id: string, text: string): Promise<number> {
  const { entries } = await rig.daemon.ask("GET", `/api/terminals/${id}/recording?types=output`);
  const found = (entries as { data?: string; elapsedMs: number }[]).find(({ data }) =>
    data?.includes(text),
  );
  if (!found) throw new Error(`no output has ${text}`);
  return found.elapsedMs;
}

const sliderOf = (page: Page) => page.getByRole("slider", { name: "Time" });

async function endedShow(): Promise<string> {
  const id = await rig.daemon.create(SHOW, { name: "show" });
  await rig.untilEnded(id);
  return id;
}

test("a replay shows at its end what the host knows, and asks nobody anything on the way", async () => {
  const id = await endedShow();
  const { page, complaints, urls } = await rig.openAt(`/r/${uidOf(id)}`);
  await untilShown(page);
  // A busy machine needs longer for the same.
  expect(await sliderOf(page).getAttribute("aria-valuetext")).toMatch(/^0 seconds of \d+ second/);
  await page.keyboard.press(">");
  await page.keyboard.press(" ");
  await expect.poll(() => page.url(), PATIENCE).toMatch(/\?t=[1-9]/);
  await page.getByRole("button", { name: "Play" }).waitFor();
  const whole = await hostText(id);
  expect(whole).toContain("moved");
  await expect.poll(() => playedText(page), PATIENCE).toBe(whole);
  await picture(page, "player");
  expect(await seriousProblems(page)).toEqual([]);
  // Nothing is ever sent to a terminal from here: there is not even a way to it.
  expect(urls.filter((url) => url.includes("/connect") || url.includes("/input"))).toEqual([]);
  expect(complaints).toEqual([]);
});

test("a link opens at its moment, the address follows, and the link can be copied", async () => {
  const id = await endedShow();
  const ms = await momentOf(id, "two");
  const { page, complaints } = await rig.openAt(`/r/${uidOf(id)}?t=${ms / 1000}`);
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  const text = await hostText(id, `&atElapsedMs=${ms}`);
  expect(text).toContain("two");
  await expect.poll(() => playedText(page), PATIENCE).toBe(text);
  expect(page.url()).toContain(`t=${ms / 1000}`);
  await page.keyboard.press("0");
  await expect.poll(() => page.url(), PATIENCE).toMatch(/t=0$/);
  await page.evaluate((moment) => {
    location.hash = location.hash.replace("t=0", `t=${moment}`);
  }, ms / 1000);
  await expect.poll(() => playedText(page), PATIENCE).toBe(text);
  await page.getByRole("button", { name: "Copy link" }).click();
  await page.getByText("is copied").waitFor();
  const copied = await page.evaluate(() => navigator.clipboard.readText());
  expect(copied).toBe(`${rig.daemon.origin}/#/r/${uidOf(id)}?t=${ms / 1000}`);
  expect(copied).not.toContain(rig.daemon.token);
  expect(complaints).toEqual([]);
});

test("commands are chapters to go to, by the list and by keys", async () => {
  const id = await rig.shellThatRan(["echo first", "sleep 1.2; false", "echo third"]);
  const { page, complaints } = await rig.openAt(`/r/${uidOf(id)}?t=0`);
  const chapters = page.getByRole("region", { name: "Chapters" }).getByRole("button");
  await untilShown(page);
  await expect.poll(() => chapters.allTextContents(), PATIENCE).toHaveLength(3);
  expect(await chapters.nth(1).textContent()).toMatch(/sleep 1\.2; falseexit 1$/);
  await chapters.nth(2).click();
  await expect.poll(() => chapters.nth(2).getAttribute("aria-current"), PATIENCE).toBe("true");
  await expect.poll(() => playedText(page), PATIENCE).not.toContain("\nthird");
  await expect
    .poll(() => sliderOf(page).getAttribute("aria-valuetext"), PATIENCE)
    .toContain("echo third");
  await page.keyboard.press("[");
  await expect.poll(() => chapters.nth(1).getAttribute("aria-current"), PATIENCE).toBe("true");
  await page.keyboard.press("]");
  await expect.poll(() => chapters.nth(2).getAttribute("aria-current"), PATIENCE).toBe("true");
  await page.keyboard.press(".");
  await page.keyboard.press(".");
  await expect.poll(() => playedText(page), PATIENCE).toContain("\nthird");
  await page.getByRole("link", { name: "Watch live" }).waitFor();
  await picture(page, "player-chapters");
  expect(complaints).toEqual([]);
});

test("every export has the bytes that the host sends", async () => {
  const id = await endedShow();
  const { page, complaints } = await rig.openAt(`/r/${uidOf(id)}?t=0`);
  const formats = [
    ["Asciicast", "asciicast3"],
    ["Text", "text"],
    ["HTML", "html"],
    ["JSON lines", "jsonLines"],
    ["Raw bytes", "raw"],
  ] as const;
  for (const [label, format] of formats) {
    await page.locator("summary", { hasText: "Export" }).click();
    const [saved] = await Promise.all([
      page.waitForEvent("download"),
      page.locator(".menu-choice", { hasText: label }).click(),
    ]);
    const response = await fetch(
      `${rig.daemon.origin}/api/recordings/${id}/export?format=${format}`,
      { headers: { authorization: `Bearer ${rig.daemon.token}` } },
    );
    const expected = Buffer.from(await response.arrayBuffer());
    expect(expected.length).toBeGreaterThan(0);
    expect(await readFile(await saved.path())).toEqual(expected);
    expect(response.headers.get("content-disposition")).toContain(saved.suggestedFilename());
  }
  expect(complaints).toEqual([]);
});

test("a recording that is opened plays by itself, on a phone too, unless somebody wants no motion", async () => {
  const id = await endedShow();
  const { page, complaints } = await rig.openAt(`/r/${uidOf(id)}`, {
    reducedMotion: "no-preference",
    viewport: { width: 390, height: 844 },
  });
  await expect.poll(() => playedText(page), PATIENCE).toBe(await hostText(id));
  await picture(page, "player-phone");
  expect(await seriousProblems(page)).toEqual([]);
  const width = await page.evaluate(() => document.querySelector("main")?.scrollWidth ?? 0);
  expect(width).toBeLessThanOrEqual(390);
  expect(complaints).toEqual([]);
});

test("what is not there is said, with a way on", async () => {
  const { page, complaints } = await rig.openAt("/r/nothing-like-that");
  await page.getByRole("heading", { name: "There is nothing to play" }).waitFor();
  await page.getByRole("link", { name: "All recordings" }).click();
  await page.getByRole("heading", { name: "Recordings" }).waitFor();
  // The browser notes the answer of the host, and that is all.
  expect(complaints.filter((text) => !text.includes("404"))).toEqual([]);
});
