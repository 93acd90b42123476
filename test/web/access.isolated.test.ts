// What the page asks of the host, what it offers to whom, and where its links lead.
import { appendFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { requireProgram } from "../../packages/host/src/testing/require-program.ts";
import { openWatched, PATIENCE, screenText } from "../support/browser.ts";
import { placeOf, WebRig } from "./web-rig.ts";

let rig: WebRig;

beforeAll(async () => {
  rig = await WebRig.open();
});
beforeEach((context) => requireProgram(context, "chromium"));
afterAll(() => rig[Symbol.asyncDispose]());

test("who may only look is offered nothing that would be refused", async () => {
  const agent = await rig.agent("worker");
  const id = await rig.shell(agent, { name: "Looked at" });
  await agent.runCommand({ id, commandLine: "echo to be seen; false" });
  await agent.sendInput({ id, data: "read -rsp 'Password: ' p\r" });
  await rig.operator.requestControl({ id, note: "please" });
  const { token } = await rig.operator.createToken({ name: "looker", scope: "readOnly" });
  const { page, complaints, urls } = await openWatched(await rig.browser.newContext());
  await page.goto(`${rig.origin}/#token=${token}`);
  await page.getByRole("listitem").filter({ hasText: "asks for a secret" }).waitFor();
  const offers = page.locator(
    "main input:not([type=search], [type=range], [aria-label^=Owner]), main .button.primary, .key-row",
  );
  await expect.poll(() => offers.count(), PATIENCE).toBe(0);
  await page.keyboard.press("n");
  expect(await page.getByRole("dialog").count()).toBe(0);
  await page.getByRole("button", { name: "More for Looked at" }).click();
  expect(await page.locator(".popup-menu:popover-open button").allInnerTexts()).toEqual([
    "Play its recording",
  ]);
  await page.goto(`${rig.origin}/#${placeOf(id)}`);
  await expect.poll(() => screenText(page), PATIENCE).toContain("to be seen");
  await page.locator(".command").first().waitFor();
  await page.locator(".screen-box textarea").focus();
  await page.keyboard.type("nothing of this\n");
  await page.goto(`${rig.origin}/#/recordings`);
  await page.getByRole("link", { name: "Looked at" }).waitFor();
  expect(await offers.count()).toBe(0);
  expect(await page.getByRole("button", { name: /^(Run it again|Delete|Take over)/ }).count()).toBe(
    0,
  );
  expect(await page.locator(".toast").count()).toBe(0);
  expect(urls.filter((url) => url.includes(token))).toEqual([]);
  expect(complaints).toEqual([]);
});

test("a token that is no good, or is revoked while the page is open, is said and forgotten", async () => {
  const wrong = await openWatched(await rig.browser.newContext());
  await wrong.page.goto(`${rig.origin}/#token=nacre_${"x".repeat(43)}`);
  await wrong.page.getByText("not good any more").waitFor();
  const name = "short-lived";
  const { token } = await rig.operator.createToken({ name, scope: "operator" });
  const revoked = await openWatched(await rig.browser.newContext());
  await revoked.page.goto(`${rig.origin}/#token=${token}`);
  await revoked.page.getByText("Connected", { exact: true }).waitFor();
  await rig.operator.revokeToken({ name });
  await revoked.page.getByText("not good any more").waitFor();
  const kept = () => JSON.stringify([sessionStorage, localStorage, location.href]);
  expect(await revoked.page.evaluate(kept)).not.toContain(token);
});

test("a terminal that only writes makes nobody read the list again", async () => {
  const { page, urls } = await rig.page();
  const file = join(rig.own.home, "written");
  await writeFile(file, "");
  // It never waits for anybody to type, which the list would show.
  const { id } = await rig.operator.createTerminal({
    command: "tail",
    args: ["-f", file],
    workingDirectory: rig.own.home,
    name: "Writes",
  });
  await page.getByRole("row").filter({ hasText: "Writes" }).waitFor();
  const reads = (): number => urls.filter((url) => url.includes("/api/terminals?")).length;
  const events = rig.operator.events({ channels: [`${id}.data.changed`] });
  let heard = 0;
  void (async () => {
    for await (const _ of events) heard += 1;
  })();
  const write = async (line: string): Promise<void> => {
    const had = heard;
    await appendFile(file, `${line}\n`);
    const until = [{ kind: "text", text: line } as const];
    await rig.operator.waitFor({ id, until, after: 0, timeoutMs: 10_000 });
    await expect.poll(() => heard, PATIENCE).toBeGreaterThan(had);
  };
  await write("first");
  await rig.operator.renameTerminal({ id, title: "Settled" });
  await page.getByRole("row").filter({ hasText: "Settled" }).waitFor();
  const before = reads();
  for (let line = 0; line < 12; line++) await write(`line${line}`);
  await rig.operator.renameTerminal({ id, title: "Done" });
  await page.getByRole("row").filter({ hasText: "Done" }).waitFor();
  // The new title is read, and more may come from the clock of the page.
  expect(reads() - before).toBeLessThanOrEqual(3);
  await events[Symbol.asyncDispose]();
});

test("whoever leaves a terminal before it is connected leaves nothing behind", async () => {
  const id = await rig.shell(rig.operator, { name: "Left at once" });
  const { page, complaints, urls } = await rig.page();
  await page.getByRole("row").filter({ hasText: "Left at once" }).waitFor();
  const held = Promise.withResolvers<void>();
  const asked = Promise.withResolvers<void>();
  await page.route("**/api/tickets", async (route) => {
    asked.resolve();
    await held.promise;
    await route.continue();
  });
  await page.goto(`${rig.origin}/#${placeOf(id)}`);
  await asked.promise;
  await page.getByRole("button", { name: "All terminals" }).click();
  await page.getByRole("row").filter({ hasText: "Left at once" }).waitFor();
  const answered = page.waitForResponse("**/api/tickets");
  held.resolve();
  await (await answered).finished();
  await rig.operator.renameTerminal({ id, title: "Later" });
  await page.getByRole("row").filter({ hasText: "Later" }).waitFor();
  expect(urls.filter((url) => url.includes("/connect"))).toEqual([]);
  expect(complaints).toEqual([]);
});

test("a link says where it leads, and opens only when it is meant, without a way back", async () => {
  const id = await rig.shell();
  const target = `${rig.origin}/docs`;
  const line = `printf '\\033]8;;${target}\\007harmless\\033]8;;\\007\\n'`;
  const { page } = await rig.page(placeOf(id));
  await expect.poll(() => screenText(page), PATIENCE).toMatch(/[#$] *$/);
  await rig.operator.runCommand({ id, commandLine: line });
  await expect.poll(() => screenText(page), PATIENCE).toMatch(/^harmless$/m);
  const link = page.locator(".xterm-rows > div").filter({ hasText: /^harmless\s*$/ });
  const box = await link.boundingBox();
  if (!box) throw new Error("the link is not shown");
  const over = [box.x + 20, box.y + box.height / 2] as const;
  await page.mouse.move(box.x + 10, box.y + box.height / 2);
  await page.mouse.move(...over);
  await expect
    .poll(() => page.locator(".screen-box").getAttribute("title"), PATIENCE)
    .toContain(target);
  await page.mouse.down();
  await page.mouse.up();
  expect(page.context().pages()).toHaveLength(1);
  await page.keyboard.down("Control");
  const [opened] = await Promise.all([
    page.context().waitForEvent("page"),
    page.mouse.click(...over),
  ]);
  await page.keyboard.up("Control");
  await opened.waitForURL(target);
  expect(await opened.evaluate(() => window.opener === null && document.referrer === "")).toBe(
    true,
  );
  expect(await opened.evaluate(() => sessionStorage.length)).toBe(0);
});

test("nothing moves when what was asked for arrives", async () => {
  const id = await rig.shell(rig.operator, { name: "Steady" });
  await rig.operator.runCommand({ id, commandLine: "echo here" });
  const { page } = await rig.page("/search");
  await page.addInitScript(() => {
    let sum = 0;
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) sum += Number(Reflect.get(entry, "value"));
      Reflect.set(window, "moved", sum);
    }).observe({ type: "layout-shift", buffered: true });
  });
  await page.reload();
  for (const place of [placeOf(id), "/", "/recordings"]) {
    await page.goto(`${rig.origin}/#${place}`);
    await page.reload();
    await page.getByText("Steady").first().waitFor();
    await page.getByText("Connected", { exact: true }).waitFor();
    expect(Number(await page.evaluate(() => Reflect.get(window, "moved") ?? 0))).toBeLessThan(0.01);
  }
});
