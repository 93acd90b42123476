// The page while the disk of the recordings is full.
import { expect, test } from "vitest";
import { requireProgram } from "../../packages/host/src/testing/require-program.ts";
import { openWatched, PATIENCE, screenText, startBrowser } from "../support/browser.ts";
import { SmallDiskDaemon } from "../support/small-disk-daemon.ts";
import { canMakeDisks } from "../support/small-disk.ts";
import { placeOf } from "./web-rig.ts";

const LONG_TEST = { timeout: 120_000 };

test.runIf(canMakeDisks())(
  "P-A3: the page says that the disk is full and what to do, beside a terminal and its list, until there is room",
  LONG_TEST,
  async (context) => {
    requireProgram(context, "chromium");
    await using daemon = await SmallDiskDaemon.start();
    const { client, url, token } = daemon;
    const { id } = await client.createTerminal({
      name: "ticking",
      command: "/bin/sh",
      args: ["-c", "i=0; while :; do i=$((i+1)); echo tick $i; sleep 0.1; done"],
      workingDirectory: "/",
    });
    await using stack = new AsyncDisposableStack();
    const browser = await startBrowser(["--disable-3d-apis"]);
    stack.defer(() => browser.close());
    const { page } = await openWatched(await browser.newContext());
    await page.goto(`${url}/#token=${token}&to=${placeOf(id)}`);
    await expect.poll(() => screenText(page), PATIENCE).toContain("tick");
    const banner = page.getByRole("alert").filter({ hasText: "The disk is full" });
    expect(await banner.count()).toBe(0);

    daemon.fill();
    await banner.waitFor();
    expect(await banner.textContent()).toMatch(/kept in reserve.*nacre rm/);
    const { page: list } = await openWatched(await browser.newContext());
    await list.goto(`${url}/#token=${token}`);
    await list.getByRole("alert").filter({ hasText: "The disk is full" }).waitFor();
    await list
      .getByRole("row")
      .filter({ hasText: "ticking" })
      .filter({ hasText: /full/i })
      .waitFor();

    const before = await screenText(page);
    daemon.free();
    await banner.waitFor({ state: "detached" });
    await expect.poll(() => screenText(page), PATIENCE).not.toBe(before);
  },
);
