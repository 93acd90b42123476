// The past of a terminal that still runs.
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { requireProgram } from "../../packages/host/src/testing/require-program.ts";
import { PATIENCE, picture } from "../support/browser.ts";
import { PastRig, playedText, seriousProblems, uidOf } from "./past-rig.ts";

let rig: PastRig;

beforeAll(async () => {
  rig = await PastRig.open();
});

beforeEach((context) => requireProgram(context, "chromium"));

afterAll(() => rig[Symbol.asyncDispose]());

const send = (id: string, data: string) =>
  rig.daemon.ask("POST", `/api/terminals/${id}/input`, { data });

test("the past covers the screen, the present goes on below it, and one step leads back", async () => {
  const { daemon } = rig;
  const id = await daemon.create(
    "echo first; stty -echo; while read -r line; do echo got $line; done",
  );
  await daemon.untilText(id, "first");
  await send(id, "second\r");
  await daemon.untilText(id, "got second");
  const { page, complaints } = await rig.openAt(`/t/${uidOf(id)}`);
  const live = page.locator(".screen-box .xterm-rows");
  const liveText = async (): Promise<string> => (await live.textContent()) ?? "";
  await expect.poll(liveText, PATIENCE).toContain("got second");
  const slider = page.getByRole("slider", { name: "Time of this terminal" });
  await slider.focus();
  await expect.poll(() => slider.getAttribute("aria-valuetext"), PATIENCE).toBe("now");
  await page.keyboard.press("Home");
  await page.locator(".past-cover").waitFor();
  await expect.poll(() => playedText(page), PATIENCE).not.toContain("got second");
  expect(await slider.getAttribute("aria-valuetext")).toContain("0 seconds of");
  await picture(page, "scrubber");
  expect(await seriousProblems(page)).toEqual([]);

  // What is typed now must not reach the program: nobody sees the screen it would be for.
  await page.locator(".screen-box textarea").focus();
  await page.keyboard.type("oops\n");
  await send(id, "third\r");
  await daemon.untilText(id, "got third");
  await expect.poll(liveText, PATIENCE).toContain("got third");
  expect(await playedText(page)).not.toContain("got third");

  await page.getByRole("button", { name: "Jump to now" }).click();
  await expect.poll(() => page.locator(".past-cover").count(), PATIENCE).toBe(0);
  await expect.poll(() => slider.getAttribute("aria-valuetext"), PATIENCE).toBe("now");
  expect(await liveText()).not.toContain("oops");
  // Whoever is back types into the present.
  await page.keyboard.type("fourth\n");
  await daemon.untilText(id, "got fourth");
  expect(complaints).toEqual([]);
});

test("the slider is dragged, the past is played, and its end is the present", async () => {
  const { daemon } = rig;
  const id = await daemon.create("for n in 1 2 3 4; do echo tick$n; sleep 0.2; done; exec cat");
  await daemon.untilText(id, "tick4");
  const { page, complaints } = await rig.openAt(`/t/${uidOf(id)}`);
  const slider = page.getByRole("slider", { name: "Time of this terminal" });
  await expect.poll(() => slider.getAttribute("max").then(Number), PATIENCE).toBeGreaterThan(100);
  const box = await slider.boundingBox();
  if (!box) throw new Error("the slider is not shown");
  await page.mouse.move(box.x + box.width - 8, box.y + box.height / 2);
  await page.mouse.down();
  for (const share of [0.9, 0.5, 0.01]) {
    await page.mouse.move(box.x + box.width * share, box.y + box.height / 2);
  }
  await page.mouse.up();
  await page.locator(".past-cover").waitFor();
  await expect.poll(() => playedText(page), PATIENCE).not.toContain("tick4");
  await page.getByRole("button", { name: "Play from here" }).click();
  await expect.poll(() => page.locator(".past-cover").count(), PATIENCE).toBe(0);
  expect(complaints).toEqual([]);
});

test("a link with a moment opens the past of a terminal that runs, and Escape leads to the present", async () => {
  const { daemon } = rig;
  const id = await daemon.create("echo before; exec cat");
  await daemon.untilText(id, "before");
  await send(id, "after\r");
  await daemon.untilText(id, "after");
  const { page, complaints } = await rig.openAt(`/t/${uidOf(id)}?t=0`);
  await page.locator(".past-cover").waitFor();
  await expect.poll(() => playedText(page), PATIENCE).not.toContain("after");
  await page.keyboard.press("Escape");
  await expect.poll(() => page.locator(".past-cover").count(), PATIENCE).toBe(0);
  expect(page.url()).not.toContain("t=0");
  expect(complaints).toEqual([]);
});
