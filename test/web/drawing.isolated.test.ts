// A screen that is drawn with the graphics processor, where the browser has one.
import type { Browser } from "playwright-core";
import { afterAll, beforeEach, expect, test } from "vitest";
import { connect } from "@nacre/client";
import { requireProgram } from "../../packages/host/src/testing/require-program.ts";
import { openWatched, PATIENCE, startBrowser } from "../support/browser.ts";
import { ownDaemon } from "../support/own-daemon.ts";
import { placeOf } from "./web-rig.ts";

let browser: Browser | undefined;

beforeEach(async (context) => {
  requireProgram(context, "chromium");
  browser ??= await startBrowser();
});
afterAll(() => browser?.close());

test("a screen is drawn within the rules of the page, also with WebGL", async () => {
  await using own = await ownDaemon();
  const operator = connect({ url: own.url, token: own.token });
  const { id } = await operator.createTerminal({
    command: "/bin/sh",
    args: ["-c", "printf '\\033[38;2;255;120;80mtrue\\033[m \\033[7mcolour\\033[m'; exec cat"],
    workingDirectory: own.home,
  });
  if (!browser) throw new Error("no browser was started");
  const { page, complaints, urls } = await openWatched(await browser.newContext());
  await page.goto(`${own.url}#token=${own.token}&to=${placeOf(id)}`);
  await page.locator(".xterm-screen").waitFor();
  await expect
    .poll(() => page.locator(".xterm-screen canvas").count(), PATIENCE)
    .toBeGreaterThan(0);
  expect(urls.some((url) => url.endsWith("/addon-webgl.js"))).toBe(true);
  // What a driver or xterm.js tells of its speed says nothing about the page.
  expect(
    complaints.filter((text) => !/GL Driver Message|exceeded allotted deadline/.test(text)),
  ).toEqual([]);
});
