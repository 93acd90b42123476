// A person who is attached while the disk of the recordings becomes full.
import { expect, test } from "vitest";
import { SmallDiskDaemon } from "../support/small-disk-daemon.ts";
import { canMakeDisks } from "../support/small-disk.ts";
import { PATIENCE, UserScreen } from "./user-screen.ts";

const TICKS = "i=0; while :; do i=$((i+1)); echo tick $i; sleep 0.1; done";
const WARNING = "disk full: shows nothing new until there is room";

/** The newest line of the program on a screen. */
const lastTick = (text: string): number =>
  Math.max(...Array.from(text.matchAll(/tick (\d+)/g), ([, count]) => Number(count)));

test.runIf(canMakeDisks())(
  "P-A3: `attach` says that the disk is full for as long as it is, and goes on by itself afterwards",
  async () => {
    await using daemon = await SmallDiskDaemon.start();
    await using user = await UserScreen.open(daemon.env);
    user.result("new", "--name", "ticking", "--", "sh", "-c", TICKS);
    await user.line("$NACRE attach ticking");
    await user.sees(/^tick \d+/m);
    daemon.fill();
    await user.sees(WARNING);
    const standing = lastTick(await user.text());
    daemon.free();
    await expect.poll(() => user.text(), PATIENCE).not.toContain(WARNING);
    await expect.poll(async () => lastTick(await user.text()), PATIENCE).toBeGreaterThan(standing);
    await user.keys("C-]", "d");
    await user.hasLeft();
    await user.worksAgain();
  },
);
