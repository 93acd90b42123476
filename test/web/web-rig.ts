// What the tests of the page share: a daemon with a shell that reports its commands, an agent beside the person, a browser.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { connect, type NacreClient } from "@nacre/client";
import type { TerminalId } from "@nacre/contracts";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { type OwnDaemon, ownDaemon } from "../support/own-daemon.ts";
import { openWatched, startBrowser, type WatchedPage } from "../support/browser.ts";

/** Where pictures of the page go, for whoever wants to look at it. */
const PICTURES = process.env["NACRE_PICTURES"] ?? "";

/** Long enough for a busy machine; nothing waits for it that goes well. */
export const PATIENCE = { timeout: 15_000, interval: 50 };

/** A daemon, a person with a browser, and an agent. */
export class WebRig implements AsyncDisposable {
  readonly own: OwnDaemon;
  readonly browser: Browser;
  /** Asks as the operator, from elsewhere than the page. */
  readonly operator: NacreClient;
  readonly #stack: AsyncDisposableStack;

  private constructor(own: OwnDaemon, browser: Browser, stack: AsyncDisposableStack) {
    this.own = own;
    this.browser = browser;
    this.#stack = stack;
    this.operator = connect({ url: own.url, token: own.token, clientLabel: "elsewhere" });
  }

  static async open(): Promise<WebRig> {
    await using stack = new AsyncDisposableStack();
    const own = stack.use(await ownDaemon());
    // Without a graphics processor the letters of a screen are on the page, where tests can read them.
    const browser = await startBrowser(["--disable-3d-apis"]);
    stack.defer(() => browser.close());
    return new WebRig(own, browser, stack.move());
  }

  /** Without a slash at its end. */
  get origin(): string {
    return new URL(this.own.url).origin;
  }

  /** A page at a place, such as `/t/a1`, in a profile of its own. */
  async page(to = "/", options: BrowserContextOptions = {}): Promise<WatchedPage> {
    const context = await this.browser.newContext({
      viewport: { width: 1280, height: 800 },
      permissions: ["clipboard-read", "clipboard-write"],
      ...options,
    });
    const watched = await openWatched(context);
    await watched.page.goto(`${this.origin}/#token=${this.own.token}&to=${encodeURIComponent(to)}`);
    return watched;
  }

  /** A client with the token of an agent. */
  async agent(name: string): Promise<NacreClient> {
    const { token } = await this.operator.createToken({ name, scope: "agent" });
    return connect({ url: this.own.url, token });
  }

  /** A bash that reports its commands, and nothing of the machine it runs on. */
  async shell(client: NacreClient = this.operator, more: object = {}): Promise<TerminalId> {
    const { id } = await client.createTerminal({
      shell: "bash",
      workingDirectory: this.own.home,
      env: { HOME: "/nonexistent" },
      ...more,
    });
    await client.waitFor({ id, until: [{ kind: "prompt" }], after: 0, timeoutMs: 20_000 });
    return id;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#stack.disposeAsync();
  }
}

/** Where a terminal is on the page. */
export const placeOf = (id: TerminalId): string => `/t/${id.slice("terminal:".length)}`;

/** What the screen of a page shows, as text. */
export async function screenText(page: Page): Promise<string> {
  const rows = await page.locator(".xterm-rows > div").allTextContents();
  return rows
    .map((row) => row.replaceAll("\u00a0", " ").trimEnd())
    .join("\n")
    .trimEnd();
}

/** Takes pictures of a page by day and by night, and as on a phone, where somebody asked for them. */
export async function picture(page: Page, name: string): Promise<void> {
  if (PICTURES === "") return;
  mkdirSync(PICTURES, { recursive: true });
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme });
    await page.screenshot({ path: join(PICTURES, `${name}-${colorScheme}.png`) });
  }
  const before = page.viewportSize();
  await page.setViewportSize({ width: 390, height: 844 });
  await page.screenshot({ path: join(PICTURES, `${name}-phone.png`) });
  if (before) await page.setViewportSize(before);
}
