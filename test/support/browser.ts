import { execFileSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core";

/** Names that a browser of a test takes for this machine, as an attacker's name server would make it. */
export const REBOUND_NAME = "rebound.example";

const BROWSER_ARGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-background-networking",
  "--no-first-run",
  `--host-resolver-rules=MAP ${REBOUND_NAME} 127.0.0.1`,
];

/** Starts the browser that is installed. */
export const startBrowser = (more: readonly string[] = []): Promise<Browser> =>
  chromium.launch({
    executablePath: execFileSync("sh", ["-c", "command -v chromium"], { encoding: "utf8" }).trim(),
    args: [...BROWSER_ARGS, ...more],
  });

/** A page with what went wrong in it, and everything it asked for. */
export interface WatchedPage {
  readonly page: Page;
  /** What the browser complains about: violations, errors, dialogs. */
  readonly complaints: string[];
  /** Every address it asked for, of sockets too. */
  readonly urls: string[];
}

/** Opens a page and notes what it does. */
export async function openWatched(context: BrowserContext): Promise<WatchedPage> {
  const page = await context.newPage();
  const complaints: string[] = [];
  const urls: string[] = [];
  page.on("console", (message) => complaints.push(message.text()));
  page.on("pageerror", (error) => complaints.push(String(error)));
  page.on("dialog", (dialog) => {
    complaints.push(`a dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on("request", (request) => urls.push(request.url()));
  page.on("websocket", (socket) => urls.push(socket.url()));
  await page.exposeFunction("noteViolation", (text: string) => complaints.push(text));
  await page.addInitScript(() => {
    document.addEventListener("securitypolicyviolation", (event) => {
      const note: unknown = Reflect.get(window, "noteViolation");
      if (typeof note === "function") note(`${event.violatedDirective} ${event.blockedURI}`);
    });
  });
  return { page, complaints, urls };
}

/** Long enough for a busy machine; nothing waits for it that goes well. */
export const PATIENCE = { timeout: 15_000, interval: 50 };

/** What a screen on a page shows, as text; the only one unless a selector says in which element it is. */
export async function screenText(page: Page, within = "body"): Promise<string> {
  const rows = await page.locator(`${within} .xterm-rows > div`).allTextContents();
  return rows
    .map((row) => row.replaceAll("\u00a0", " ").trimEnd())
    .join("\n")
    .trimEnd();
}

/** Where pictures of the page go, for whoever wants to look at it. */
const PICTURES = process.env["NACRE_PICTURES"] ?? "";

/** How a phone shows a page. */
const PHONE = { width: 390, height: 844 };

/** Takes pictures of a page by day, by night and as on a phone, where `NACRE_PICTURES` names a directory for them. */
export async function picture(page: Page, name: string): Promise<void> {
  if (PICTURES === "") return;
  mkdirSync(PICTURES, { recursive: true });
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme });
    await page.screenshot({ path: join(PICTURES, `${name}-${colorScheme}.png`) });
  }
  const before = page.viewportSize();
  await page.setViewportSize(PHONE);
  await page.screenshot({ path: join(PICTURES, `${name}-phone.png`) });
  if (before) await page.setViewportSize(before);
}
