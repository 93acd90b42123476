import { connect, type NacreClient } from "@nacre/client";
import type { TerminalId } from "@nacre/contracts";
import type { Browser, BrowserContextOptions } from "playwright-core";
import { openWatched, startBrowser, type WatchedPage } from "../support/browser.ts";
import { type OwnDaemon, ownDaemon } from "../support/own-daemon.ts";

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
