// Whatever terminals are called, run and write: it is text on the page, and nothing else.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { requireProgram } from "../../packages/host/src/testing/require-program.ts";
import { PATIENCE, picture, screenText } from "../support/browser.ts";
import { PAYLOADS } from "../support/script-payloads.ts";
import { placeOf, WebRig } from "./web-rig.ts";

let rig: WebRig;

beforeAll(async () => {
  rig = await WebRig.open();
});
beforeEach((context) => requireProgram(context, "chromium"));
afterAll(() => rig[Symbol.asyncDispose]());

/** The payloads, each also as it would close what it could be in. */
const TEXTS: readonly string[] = [
  ...PAYLOADS,
  ...PAYLOADS.map((text) => `"'>${text}`),
  ...PAYLOADS.map((text) => `</code></q></textarea></option>${text}`),
  ...PAYLOADS.map((text) => `{{${text}}}\${${text}}`),
  ...PAYLOADS.map((text) => `]]>--></title>${text}`),
  ...PAYLOADS.map((text) => `\u202e${text}\u2066`),
  ...PAYLOADS.map((text) => `&lt;${text}&#x3c;`),
  ...PAYLOADS.map((text) => text.replaceAll(/<(\w+)/g, (tag) => tag.toUpperCase())),
  ...PAYLOADS.map((text) => `<!--<x y="-->${text}`),
  ...PAYLOADS.map((text) => `<noscript><p title="</noscript>${text}">`),
  ...PAYLOADS.map((text) => `<x style="background:url(http://evil.example/a)">${text}`),
];

const quote = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

/** The part of the texts that each of a few terminals has. */
const TERMINALS = 10;
const partOf = (at: number): readonly string[] =>
  TEXTS.filter((_, index) => index % TERMINALS === at);

test("300 texts that run as scripts elsewhere run nowhere: as titles, names, owners, directories, commands and output", async () => {
  expect(new Set(TEXTS).size).toBeGreaterThanOrEqual(300);
  const ids = await Promise.all(
    Array.from({ length: TERMINALS }, async (_, at) => {
      const texts = partOf(at);
      const directory = join(rig.own.home, `d${at}`, (texts[0] ?? "").replaceAll("/", "∕"));
      mkdirSync(directory, { recursive: true });
      const id = await rig.shell(rig.operator, {
        name: texts[1],
        owner: { entityName: "Task", entityId: texts[2] ?? "" },
        workingDirectory: directory,
      });
      for (const text of texts) {
        const command = `: ${quote(text)}; printf '\\033]2;%s\\007\\033]8;;%s\\007%s\\033]8;;\\007\\n' ${quote(text)} ${quote(text)} ${quote(text)}`;
        await rig.operator.runCommand({ id, commandLine: command });
      }
      await rig.operator.runCommand({ id, commandLine: `false ${quote(texts[3] ?? "")}` });
      return id;
    }),
  );
  const { page, complaints, urls } = await rig.page();
  await expect.poll(() => page.locator(".terminal-row").count(), PATIENCE).toBe(TERMINALS);
  await picture(page, "hostile-list");
  for (const [at, id] of ids.entries()) {
    const last = partOf(at).at(-1) ?? "";
    // The title is what the program set last.
    await rig.operator.renameTerminal({ id, title: last });
    await page.locator(".row-link", { hasText: last }).first().waitFor();
  }
  for (const id of ids) {
    await page.goto(`${rig.origin}/#${placeOf(id)}`);
    await expect.poll(() => page.locator(".command").count(), PATIENCE).toBeGreaterThan(30);
    const text = async () => (await screenText(page)).replaceAll("\n", "");
    await expect.poll(text, PATIENCE).toContain("false");
    await page.evaluate(() => {
      for (const line of document.querySelectorAll<HTMLElement>(".command-line")) line.click();
    });
    await expect
      .poll(() => page.locator("pre.command-output").filter({ hasNotText: "…" }).count(), PATIENCE)
      .toBeGreaterThan(30);
  }
  await picture(page, "hostile-terminal");
  expect(await page.evaluate(() => Reflect.get(window, "ran"))).toBe(undefined);
  expect(await page.locator("script, iframe, object, embed, base, form[action]").count()).toBe(1);
  expect(complaints).toEqual([]);
  const isOwn = (url: string): boolean =>
    [rig.origin, rig.origin.replace("http", "ws")].some((own) => url.startsWith(`${own}/`));
  expect(urls.filter((url) => !isOwn(url))).toEqual([]);
}, 120_000);
