import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import {
  openWatched,
  PATIENCE,
  screenText,
  startBrowser,
  type WatchedPage,
} from "../support/browser.ts";
import { OperatedDaemon } from "../support/operated-daemon.ts";

const packageFile = createRequire(import.meta.url);

/** A daemon and a browser that goes with it. */
export class PastRig implements AsyncDisposable {
  readonly daemon: OperatedDaemon;
  #browser: Browser | undefined;

  private constructor(daemon: OperatedDaemon) {
    this.daemon = daemon;
  }

  static async open(): Promise<PastRig> {
    return new PastRig(await OperatedDaemon.open());
  }

  /** Opens the page at a place such as `/recordings`, in a profile of its own. */
  async openAt(place: string, options: BrowserContextOptions = {}): Promise<WatchedPage> {
    this.#browser ??= await startBrowser();
    const context = await this.#browser.newContext({ reducedMotion: "reduce", ...options });
    // Before the test gives up, so that it is said what did not come.
    context.setDefaultTimeout(PATIENCE.timeout);
    const watched = await openWatched(context);
    // Screens are drawn as text then, which a test can read.
    await watched.page.addInitScript(() => {
      Object.defineProperty(HTMLCanvasElement.prototype, "getContext", { value: () => null });
    });
    const { origin, token } = this.daemon;
    await watched.page.goto(`${origin}/#token=${token}&to=${encodeURIComponent(place)}`);
    return watched;
  }

  /** Waits until the program of a terminal has ended. */
  async untilEnded(id: string): Promise<void> {
    const asked = { until: [{ kind: "exit" }], timeoutMs: 20_000 };
    await this.daemon.ask("POST", `/api/terminals/${id}/wait`, asked);
  }

  /** A shell with integration, that ran these lines one after another. */
  async shellThatRan(lines: readonly string[], more: object = {}): Promise<string> {
    const { daemon } = this;
    const id = String(
      (
        await daemon.ask("POST", "/api/terminals", {
          workingDirectory: "/tmp",
          command: "/bin/bash",
          // Without the files of whoever runs the test.
          env: { HOME: "/nonexistent" },
          ...more,
        })
      )["id"],
    );
    for (const line of lines) {
      await daemon.ask("POST", `/api/terminals/${id}/commands`, {
        commandLine: line,
        timeoutMs: 20_000,
      });
    }
    return id;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#browser?.close();
    await this.daemon[Symbol.asyncDispose]();
  }
}

/** The part of an id that stands in addresses. */
export const uidOf = (id: string): string => id.slice("terminal:".length);

/** Waits until a player shows what it was asked for. */
export const untilShown = (page: Page): Promise<void> =>
  page.locator(".player-bar[aria-busy=false]").waitFor();

/** The text on the screen that is played. */
export const playedText = (page: Page): Promise<string> => screenText(page, ".played-screen");

/** The serious problems that axe finds on a page. */
export async function seriousProblems(page: Page): Promise<readonly string[]> {
  // By the door for tests: the rules of the page let nobody else in.
  const session = await page.context().newCDPSession(page);
  const source = await readFile(packageFile.resolve("axe-core/axe.min.js"), "utf8");
  const evaluate = async (expression: string): Promise<unknown> => {
    const { result, exceptionDetails } = await session.send("Runtime.evaluate", {
      expression,
      awaitPromise: true,
      returnByValue: true,
    });
    if (exceptionDetails) throw new Error(exceptionDetails.text);
    return result.value;
  };
  await evaluate(source);
  const found = await evaluate(
    `axe.run({ resultTypes: ["violations"] }).then(({ violations }) => violations
      .filter(({ impact }) => impact === "serious" || impact === "critical")
      .flatMap(({ id, nodes }) => nodes.map(({ target, failureSummary }) => id + " " + target + " " + failureSummary)))`,
  );
  return found as readonly string[];
}
