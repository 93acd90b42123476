import { execFileSync } from "node:child_process";
import { type Browser, chromium, type Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { requireProgram } from "../../packages/host/src/testing/require-program.ts";
import { HttpRig } from "./http-rig.ts";

let rig: HttpRig;
let browser: Browser | undefined;

beforeAll(async () => {
  rig = await HttpRig.open();
});

beforeEach(async (context) => {
  requireProgram(context, "chromium");
  browser ??= await chromium.launch({
    executablePath: execFileSync("sh", ["-c", "command -v chromium"], { encoding: "utf8" }).trim(),
    args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--no-first-run"],
  });
});

afterAll(async () => {
  await browser?.close();
  await rig[Symbol.asyncDispose]();
});

/** A page that notes what a browser complains about, and where it goes. */
async function openPage(): Promise<{ page: Page; complaints: string[]; urls: string[] }> {
  if (!browser) throw new Error("no browser was started");
  const page = await browser.newPage();
  const complaints: string[] = [];
  const urls: string[] = [];
  page.on("console", (message) => complaints.push(message.text()));
  page.on("pageerror", (error) => complaints.push(String(error)));
  page.on("dialog", (dialog) => {
    complaints.push("a dialog");
    void dialog.dismiss();
  });
  page.on("request", (request) => urls.push(request.url()));
  return { page, complaints, urls };
}

test("without a token the page says what to do", async () => {
  const { page, complaints } = await openPage();
  await page.goto(rig.url);
  await page.getByRole("heading", { name: "A token is needed" }).waitFor();
  expect(await page.getByText("nacre status").isVisible()).toBe(true);
  expect(complaints).toEqual([]);
});

test("with a token it lists terminals as text, and goes on by itself", async () => {
  const title = `<img src=x onerror="alert(1)"><script>alert(2)</script>`;
  const body = { workingDirectory: "/tmp", command: "/bin/cat", name: title };
  const { id } = (await rig.ask("POST", "/api/terminals", { body })).body as { id: string };
  const { page, complaints, urls } = await openPage();
  await page.goto(`${rig.url}/#token=${rig.token}`);
  await page.locator(".row-link", { hasText: title }).waitFor();
  expect(page.url()).toBe(`${rig.url}/`);

  await rig.ask("PATCH", `/api/terminals/${id}`, { body: { title: "javascript:alert(3)" } });
  await page.locator(".row-link", { hasText: "javascript:alert(3)" }).waitFor();
  await rig.create("sleep 60");
  await page.getByText("2 running, 2 in all").waitFor();
  await page.reload();
  await page.getByText("2 running, 2 in all").waitFor();

  expect(complaints).toEqual([]);
  expect(urls.filter((url) => !url.startsWith(`${rig.url}/`) && !url.startsWith("data:"))).toEqual(
    [],
  );
  expect(urls.slice(1).filter((url) => url.includes(rig.token))).toEqual([]);
});

test("a token that is no good is forgotten", async () => {
  const { page } = await openPage();
  await page.goto(`${rig.url}/#token=nacre_wrong`);
  await page.getByText("The token is not good any more.").waitFor();
  expect(await page.evaluate(() => sessionStorage.length)).toBe(0);
});

test("the page about the interface can be read", async () => {
  const { page, complaints } = await openPage();
  await page.goto(`${rig.url}/docs#createTerminal`);
  await page.locator("#createTerminal").getByText("Creates a terminal").waitFor();
  expect(complaints).toEqual([]);
});
