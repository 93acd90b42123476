// The daemon goes away and comes back; the page goes on by itself.
import { startDaemon, type Daemon } from "@nacre/host";
import { connect } from "@nacre/client";
import type { Browser } from "playwright-core";
import { afterAll, beforeEach, expect, test } from "vitest";
import { ConfigSchema } from "../../packages/host/src/config/config.ts";
import { endKeeper } from "../../packages/host/src/keeper/testing/end-keeper.ts";
import { requireProgram } from "../../packages/host/src/testing/require-program.ts";
import { openWatched, PATIENCE, screenText, startBrowser } from "../support/browser.ts";
import { ownDirectory } from "../support/own-directory.ts";
import { placeOf } from "./web-rig.ts";

let browser: Browser | undefined;

beforeEach(async (context) => {
  requireProgram(context, "chromium");
  browser ??= await startBrowser(["--disable-3d-apis"]);
});
afterAll(() => browser?.close());

/** Starts a daemon on a port, with what an earlier one left in its home. */
function start(home: string, port: number): Promise<Daemon> {
  const directories = { home, state: home, run: `${home}/run`, config: home };
  const log = (): void => undefined;
  return startDaemon({ config: ConfigSchema.parse({ port }), directories, version: "0.1.0", log });
}

test("the page goes on after the daemon restarted: the list, and a terminal that ended with it", async () => {
  using home = ownDirectory();
  const first = await start(home.path, 0);
  const [url = "", token = ""] = first.urlWithToken.split("#token=");
  const operator = connect({ url, token });
  const { id } = await operator.createTerminal({
    command: "/bin/sh",
    args: ["-c", "echo from before; exec cat"],
    workingDirectory: home.path,
    name: "Before",
  });
  if (!browser) throw new Error("no browser was started");
  const context = await browser.newContext();
  const terminal = await openWatched(context);
  await terminal.page.goto(`${url}#token=${token}&to=${placeOf(id)}`);
  await expect.poll(() => screenText(terminal.page), PATIENCE).toContain("from before");
  const list = await openWatched(await browser.newContext());
  await list.page.goto(`${url}#token=${token}`);
  await list.page.getByRole("row").filter({ hasText: "Before" }).waitFor();

  await first[Symbol.asyncDispose]();
  await list.page.getByText("Reconnecting…").waitFor();
  await using second = await start(home.path, Number(new URL(url).port));
  expect(second.urlWithToken.split("#token=")[1]).toBe(token);
  await list.page.getByText("Connected", { exact: true }).waitFor();
  await operator.createTerminal({ command: "cat", workingDirectory: home.path, name: "After" });
  await list.page.getByRole("row").filter({ hasText: "After" }).waitFor();

  await terminal.page.getByText("Connected", { exact: true }).waitFor();
  await terminal.page
    .locator(".terminal-head .badge")
    .filter({ hasText: /exit|ended|SIG|lost/ })
    .waitFor();
  await expect.poll(() => screenText(terminal.page), PATIENCE).toContain("from before");
});

test("a terminal goes on in the page when the daemon is restarted and its programs are kept", async () => {
  using home = ownDirectory();
  await using _keeper = { [Symbol.asyncDispose]: () => endKeeper(home.path) };
  const first = await start(home.path, 0);
  const [url = "", token = ""] = first.urlWithToken.split("#token=");
  const operator = connect({ url, token });
  const script = "stty -echo; echo ready; while read -r line; do echo heard $line; done";
  const { id } = await operator.createTerminal({
    command: "/bin/sh",
    args: ["-c", script],
    workingDirectory: home.path,
  });
  if (!browser) throw new Error("no browser was started");
  const { page } = await openWatched(await browser.newContext());
  await page.goto(`${url}#token=${token}&to=${placeOf(id)}`);
  await expect.poll(() => screenText(page), PATIENCE).toContain("ready");
  await operator.sendInput({ id, data: "before\n" });
  await expect.poll(() => screenText(page), PATIENCE).toContain("heard before");

  await first.stop({ keepsPrograms: true });
  await page.getByText("Reconnecting…").first().waitFor();
  await using _second = await start(home.path, Number(new URL(url).port));
  await operator.sendInput({ id, data: "after\n" });
  await expect.poll(() => screenText(page), PATIENCE).toContain("heard after");
  const lines = (await screenText(page)).split("\n").map((line) => line.trim());
  expect(lines.filter((line) => line.startsWith("heard"))).toEqual(["heard before", "heard after"]);
});
