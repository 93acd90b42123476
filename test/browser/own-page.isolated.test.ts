// The page of a daemon, as a person opens it.
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { requireProgram } from "../../packages/host/src/testing/require-program.ts";
import { openWatched, startBrowser, type WatchedPage } from "../support/browser.ts";
import { OperatedDaemon } from "../support/operated-daemon.ts";

/** Where pictures of the page go, for whoever wants to look at it. */
const PICTURES = process.env["NACRE_PICTURES"] ?? "";

let daemon: OperatedDaemon;
let browser: Browser | undefined;

beforeAll(async () => {
  daemon = await OperatedDaemon.open();
});

beforeEach(async (context) => {
  requireProgram(context, "chromium");
  browser ??= await startBrowser();
});

afterAll(async () => {
  await browser?.close();
  await daemon[Symbol.asyncDispose]();
});

/** A page in a profile of its own. */
async function openPage(): Promise<WatchedPage> {
  if (!browser) throw new Error("no browser was started");
  return await openWatched(await browser.newContext());
}

/** Takes pictures of a page, by day and by night, where somebody asked for them. */
async function picture(page: Page, name: string): Promise<void> {
  if (PICTURES === "") return;
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme });
    await page.screenshot({ path: join(PICTURES, `${name}-${colorScheme}.png`) });
  }
}

/** Whether an address is the daemon's own, or no address at all. */
const isOwn = (url: string): boolean =>
  url.startsWith(`${daemon.origin}/`) || url.startsWith("data:");

test("the token is gone from the address and the history at once, and nobody is told it", async () => {
  const { page, complaints, urls } = await openPage();
  await page.goto(daemon.urlWithToken);
  await page.getByRole("heading", { name: "No terminals" }).waitFor();
  await picture(page, "empty");
  const kept = await page.evaluate(() => ({
    hash: location.hash,
    history: Array.from(navigation.entries(), ({ url }) => String(url)),
    local: localStorage.length,
    cookies: document.cookie,
    text: document.documentElement.outerHTML,
  }));
  expect(kept).toMatchObject({ hash: "", local: 0, cookies: "" });
  expect(kept.history.at(-1)).toBe(`${daemon.origin}/`);
  expect(JSON.stringify(kept)).not.toContain(daemon.token);
  // The first is what the test asked for.
  expect(urls.slice(1).join()).not.toContain(daemon.token);
  expect(complaints).toEqual([]);
});

test("terminals appear, change and end on the page by themselves", async () => {
  const { page, complaints } = await openPage();
  await page.goto(daemon.urlWithToken);
  const id = await daemon.create("read line; exit 3", { name: "first" });
  // Once it asks, it is also among what needs somebody.
  await page.getByRole("link", { name: "first", exact: true }).first().waitFor();
  await daemon.ask("PATCH", `/api/terminals/${id}`, { title: "second" });
  await page.getByRole("link", { name: "second", exact: true }).first().waitFor();
  await daemon.ask("POST", `/api/terminals/${id}/input`, { data: "\r" });
  await page.getByRole("cell", { name: "exit 3" }).waitFor();
  expect(complaints).toEqual([]);
});

test("no address makes the page connect to anybody else", async () => {
  const { page, complaints, urls } = await openPage();
  const elsewhere = "server=ws://evil.example&url=http://evil.example&host=evil.example";
  await page.goto(`${daemon.origin}/?${elsewhere}#token=${daemon.token}&${elsewhere}`);
  await page.getByText("in all").waitFor();
  await page.reload();
  await page.getByText("in all").waitFor();
  expect(urls.filter((url) => !isOwn(url))).toEqual([]);
  expect(complaints).toEqual([]);
});

test("the page about the interface breaks no rule either", async () => {
  const { page, complaints, urls } = await openPage();
  await page.goto(`${daemon.origin}/docs`);
  await page.getByRole("heading", { name: "createTerminal" }).first().waitFor();
  await picture(page, "docs");
  expect(complaints).toEqual([]);
  expect(urls.filter((url) => !isOwn(url))).toEqual([]);
});
