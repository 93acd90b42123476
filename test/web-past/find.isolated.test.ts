// Finding what was: the list of recordings, and the search.
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { requireProgram } from "../../packages/host/src/testing/require-program.ts";
import { PATIENCE, picture } from "../support/browser.ts";
import { PAYLOADS } from "../support/script-payloads.ts";
import { PastRig, playedText, seriousProblems, uidOf, untilShown } from "./past-rig.ts";

let rig: PastRig;

beforeAll(async () => {
  rig = await PastRig.open();
});

beforeEach((context) => requireProgram(context, "chromium"));

afterAll(() => rig[Symbol.asyncDispose]());

test("where nothing is recorded the views say what to do", async () => {
  const { page, complaints } = await rig.openAt("/recordings");
  await page.getByRole("heading", { name: "Nothing is recorded yet" }).waitFor();
  const id = await rig.daemon.create("exit 0", { name: "the first" });
  await page.getByRole("link", { name: "the first" }).waitFor();
  await rig.daemon.ask("DELETE", `/api/recordings/${id}`);
  await page.keyboard.press("g");
  await page.keyboard.press("s");
  await page.getByRole("heading", { name: "Look for anything" }).waitFor();
  expect(await seriousProblems(page)).toEqual([]);
  expect(complaints).toEqual([]);
});

test("a search finds text of ended terminals and opens the screen at that moment", async () => {
  const id = await rig.daemon.create(
    "echo before; read go; echo the needle-42 is here; read go; printf '\\033[2J\\033[Hlater'",
    { name: "haystack" },
  );
  const go = () => rig.daemon.ask("POST", `/api/terminals/${id}/input`, { data: "\r" });
  await go();
  await rig.daemon.untilText(id, "is here");
  await go();
  await rig.untilEnded(id);
  const { page, complaints } = await rig.openAt("/search");
  await page.getByRole("searchbox", { name: "Search" }).fill("needle-42");
  const hit = page.locator(".hit", { hasText: "needle-42" }).first();
  await hit.waitFor({ timeout: PATIENCE.timeout });
  expect(await hit.locator("mark").allTextContents()).toEqual(["needle-42"]);
  await page.getByRole("heading", { name: "haystack" }).waitFor();
  await picture(page, "search");
  expect(await seriousProblems(page)).toEqual([]);
  expect(page.url()).toContain("q=needle-42");
  await hit.click();
  await expect.poll(() => playedText(page), PATIENCE).toContain("the needle-42 is here");
  const shown = await playedText(page);
  expect(shown).toContain("before");
  expect(shown).not.toContain("later");
  await expect.poll(() => page.url(), PATIENCE).toContain(`/r/${uidOf(id)}?t=`);
  await expect
    .poll(() => page.locator(".xterm-selection div").count(), PATIENCE)
    .toBeGreaterThan(0);
  await page.goBack();
  await page.locator(".hit").first().waitFor();
  expect(complaints).toEqual([]);
});

test("a search looks only where its filters say, and live terminals count", async () => {
  const id = await rig.shellThatRan(["echo common-word", "cd /usr && echo common-word && false"]);
  const { page } = await rig.openAt("/search?q=common-word");
  const hits = page.locator(".hit");
  await expect.poll(() => hits.count(), PATIENCE).toBeGreaterThan(1);
  await expect.poll(() => page.locator(".hit-group").textContent(), PATIENCE).toContain("running");
  await page.getByLabel("How the command ended").selectOption("failure");
  await expect
    .poll(async () => (await hits.locator(".hit-facts").allTextContents()).join(), PATIENCE)
    .not.toContain("exit 0");
  await expect.poll(() => hits.count(), PATIENCE).toBeGreaterThan(0);
  expect(page.url()).toContain("exit=failure");
  await page.getByLabel("Owner").fill("Nobody");
  await page.getByRole("heading", { name: "Nothing found" }).waitFor();
  await page.getByRole("button", { name: "Without filters" }).click();
  await expect.poll(() => hits.count(), PATIENCE).toBeGreaterThan(1);
  await page.getByLabel("Directory").fill("usr");
  await page.getByText("begins with a slash").waitFor();
  await rig.daemon.ask("DELETE", `/api/recordings/${id}`);
});

test("recordings are listed with how they ended, filtered, opened by keys and deleted after a question", async () => {
  const owner = { entityName: "Task", entityId: "7" };
  const first = await rig.daemon.create("echo hello; exit 3", { name: "first job", owner });
  const second = await rig.daemon.create("exec cat", { name: "second job" });
  await rig.untilEnded(first);
  const { page, complaints } = await rig.openAt("/recordings");
  const rowOf = (name: string) => page.getByRole("row", { name });
  await rowOf("first job").getByText("exit 3").waitFor();
  await rowOf("first job").getByText("7 B").waitFor();
  await rowOf("second job").getByText("running").waitFor();
  const third = await rig.daemon.create("read -r line; exit 5", { name: "late comer" });
  await rowOf("late comer").getByText("running").waitFor();
  await rig.daemon.ask("POST", `/api/terminals/${third}/input`, { data: "\r" });
  await rowOf("late comer").getByText("exit 5").waitFor();
  await picture(page, "recordings");
  expect(await seriousProblems(page)).toEqual([]);

  await page.getByLabel("State").selectOption("ended");
  await expect.poll(() => rowOf("second job").count(), PATIENCE).toBe(0);
  await page.getByLabel("State").selectOption("");
  await page.getByLabel("Owner").fill("Task/7");
  await page.getByLabel("Owner").press("Enter");
  await expect.poll(() => rowOf("second job").count(), PATIENCE).toBe(0);
  await rowOf("first job").waitFor();
  await page.getByLabel("Owner").fill("");
  await page.getByLabel("Owner").press("Enter");
  await page.getByLabel("Filter by text").fill("SECOND");
  await expect.poll(() => rowOf("first job").count(), PATIENCE).toBe(0);
  await page.reload();
  await rowOf("second job").waitFor();
  expect(await rowOf("first job").count()).toBe(0);
  await page.getByLabel("Filter by text").fill("job");
  await rowOf("first job").waitFor();

  await page.getByRole("heading", { name: "Recordings" }).click();
  await page.keyboard.press("j");
  await page.keyboard.press("j");
  await page.keyboard.press("Enter");
  await expect.poll(() => page.url(), PATIENCE).toContain(`/r/${uidOf(first)}`);
  await page.goBack();

  await page.getByRole("button", { name: "Delete first job" }).click();
  await page.getByRole("button", { name: "Keep it" }).click();
  await rowOf("first job").waitFor();
  await page.getByRole("button", { name: "Delete first job" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
  await expect.poll(() => rowOf("first job").count(), PATIENCE).toBe(0);
  const { recordings } = await rig.daemon.ask("GET", "/api/recordings");
  expect(JSON.stringify(recordings)).not.toContain(first);
  expect(JSON.stringify(recordings)).toContain(second);
  expect(complaints).toEqual([]);
});

test("whatever recordings are called and wrote, none of it runs", async () => {
  const quote = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
  const line = (text: string): string =>
    `printf '\\033]2;%s\\007\\033]8;;%s\\007payload %s\\n' ${quote(text)} ${quote(text)} ${quote(text)}`;
  const ids = await Promise.all(
    PAYLOADS.map((text, at) =>
      rig.daemon.create(line(text), {
        ...(at % 2 === 0 ? { name: text } : {}),
        owner: { entityName: "Task", entityId: text },
      }),
    ),
  );
  await Promise.all(ids.map((id) => rig.untilEnded(id)));
  const shell = await rig.shellThatRan(PAYLOADS.map((text) => `: payload ${quote(text)}`));
  const { page, complaints, urls } = await rig.openAt("/recordings");
  for (const text of PAYLOADS) {
    await page.getByRole("cell", { name: `Task ${text}`, exact: true }).waitFor();
  }
  await page.evaluate(() => {
    location.hash = "#/search?q=payload";
  });
  const older = page.getByRole("button", { name: "Older results" });
  await older.click();
  // Each of them was written once, and seen twice as a command: as it was typed and as it ran.
  await expect
    .poll(() => page.locator(".hit").count(), PATIENCE)
    .toBeGreaterThanOrEqual(3 * PAYLOADS.length);
  const excerpts = (await page.locator(".hit-line").allTextContents()).join("\n");
  expect(PAYLOADS.filter((text) => !excerpts.includes(`payload ${text}`))).toEqual([]);
  await page.goto(`${rig.daemon.origin}/#/r/${uidOf(shell)}`);
  const chapters = page.getByRole("region", { name: "Chapters" }).getByRole("button");
  await expect.poll(() => chapters.count(), PATIENCE).toBe(PAYLOADS.length);
  await untilShown(page);
  await page.keyboard.press("9");
  await expect.poll(() => playedText(page), PATIENCE).toContain("payload");
  for (const id of ids.slice(0, 3)) {
    await page.goto(`${rig.daemon.origin}/#/r/${uidOf(id)}?t=60`);
    await expect.poll(() => playedText(page), PATIENCE).toContain("payload");
  }
  expect(await page.evaluate(() => Reflect.get(window, "ran"))).toBe(undefined);
  expect(
    await page.locator("main :is(script, iframe, object, style, base, form[action])").count(),
  ).toBe(0);
  expect(urls.filter((url) => !url.startsWith(rig.daemon.origin))).toEqual([]);
  expect(complaints).toEqual([]);
});
