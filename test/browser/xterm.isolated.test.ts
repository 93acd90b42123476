// A terminal in a page: xterm.js with its own add-on for sockets, which knows nothing of this host.
import { createRequire } from "node:module";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { requireProgram } from "../../packages/host/src/testing/require-program.ts";
import { startBrowser } from "../support/browser.ts";
import { OperatedDaemon } from "../support/operated-daemon.ts";
import type {} from "./page-globals.ts";

/** Long enough for a busy machine; nothing waits for it that goes well. */
const PATIENCE = { timeout: 10_000, interval: 20 };

const packageFile = createRequire(import.meta.url);

/** What the page is made of; the daemon has none of it. */
const SCRIPTS = ["@xterm/xterm/lib/xterm.js", "@xterm/addon-attach/lib/addon-attach.js"];
const STYLE = "@xterm/xterm/css/xterm.css";

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

/** Opens a page of the daemon, and shows a terminal in it with xterm.js. */
async function openTerminal(id: string): Promise<{ page: Page; sent: string[] }> {
  if (!browser) throw new Error("no browser was started");
  // Our own page allows no scripts but its own.
  const context = await browser.newContext({ bypassCSP: true });
  const page = await context.newPage();
  const sent: string[] = [];
  page.on("websocket", (socket) => {
    socket.on("framesent", ({ payload }) => sent.push(payload.toString()));
  });
  await page.goto(`${daemon.origin}/healthz`);
  for (const script of SCRIPTS) await page.addScriptTag({ path: packageFile.resolve(script) });
  await page.addStyleTag({ path: packageFile.resolve(STYLE) });
  await page.evaluate(connectIn, { path: `/api/terminals/${id}/connect`, token: daemon.token });
  return { page, sent };
}

/** Runs in the page: gets a ticket, and connects with it. */
async function connectIn({ path, token }: { path: string; token: string }): Promise<void> {
  const answer = await fetch("/api/tickets", {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify({ path }),
  });
  const { ticket } = (await answer.json()) as { ticket: string };
  const terminal = new Terminal({ cols: 80, rows: 24 });
  terminal.open(document.body);
  const socket = new WebSocket(`ws://${location.host}${path}?ticket=${ticket}`);
  terminal.loadAddon(new AttachAddon.AttachAddon(socket));
  await new Promise((resolve, reject) => {
    socket.addEventListener("open", resolve);
    socket.addEventListener("error", reject);
  });
  Reflect.set(window, "linesShown", () => {
    const { active } = terminal.buffer;
    return Array.from({ length: active.length }, (_, at) =>
      active.getLine(at)?.translateToString().trimEnd(),
    );
  });
  terminal.focus();
}

/** The lines on the page. */
const linesOf = (page: Page) => page.evaluate(() => window.linesShown());

test("what is typed comes to the program, and what it writes is shown", async () => {
  const id = await daemon.create("PS1='$ ' exec sh -i");
  const { page } = await openTerminal(id);
  await expect.poll(() => linesOf(page), PATIENCE).toContain("$");
  await page.keyboard.type("echo h''i");
  await page.keyboard.press("Enter");
  await expect.poll(() => linesOf(page), PATIENCE).toContain("hi");
  await page.keyboard.type("printf '\\344\\275\\240 \\033[1mgut\\033[m\\n'");
  await page.keyboard.press("Enter");
  await expect.poll(() => linesOf(page), PATIENCE).toContain("你 gut");
});

test("what a program asks of its terminal is answered once, although every page answers too", async () => {
  const id = await daemon.create(
    "stty raw -echo; head -c 1 >/dev/null; printf '\\033[c\\033[5n\\033[6n\\033[?6n\\033[>c'; exec cat -v",
  );
  const pages = await Promise.all([openTerminal(id), openTerminal(id)]);
  const [first] = pages;
  await first?.page.keyboard.type("x");
  await daemon.untilText(id, "^[[0n");
  for (const [index, { page, sent }] of pages.entries()) {
    // Whatever a page answers goes before what is typed there afterwards; keys of two pages may mix.
    await expect.poll(() => sent.join(""), PATIENCE).toContain("\u001b[0n");
    await page.keyboard.type(`end${index}`);
    await daemon.untilText(id, `end${index}`);
  }
  const { text } = await daemon.ask("GET", `/api/terminals/${id}/screen?format=text`);
  const answers = String(text).match(/\^\[\[[?>\d;]*[cnR]/g) ?? [];
  expect(new Set(answers).size).toBe(answers.length);
  expect(answers).toContain("^[[0n");
  expect(answers.filter((answer) => answer.endsWith("c"))).toHaveLength(2);
});
