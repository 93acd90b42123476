// What the tests in a browser share: a whole daemon, a browser, and what its operator sees.
import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core";
import { type OwnDaemon, ownDaemon } from "./own-daemon.ts";
import { withoutNoticed } from "../gate/gated-daemon.ts";

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

/** A daemon, and its operator at the other end of a wire that is no browser. */
export class OperatedDaemon implements AsyncDisposable {
  readonly #own: OwnDaemon;

  private constructor(own: OwnDaemon) {
    this.#own = own;
  }

  static async open(): Promise<OperatedDaemon> {
    return new OperatedDaemon(await ownDaemon());
  }

  /** Without a slash at its end. */
  get origin(): string {
    return new URL(this.#own.url).origin;
  }

  get port(): number {
    return this.#own.port;
  }

  get token(): string {
    return this.#own.token;
  }

  /** What a person opens. */
  get urlWithToken(): string {
    return `${this.origin}/#token=${this.token}`;
  }

  /** Asks as the operator; anything but success is thrown. */
  async ask(method: string, path: string, body?: unknown): Promise<Record<string, unknown>> {
    const response = await fetch(this.origin + path, {
      method,
      headers: {
        authorization: `Bearer ${this.token}`,
        ...(body === undefined ? {} : { "content-type": "application/json" }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return JSON.parse(text, withoutNoticed) as Record<string, unknown>;
  }

  /** Creates a terminal that runs this line with sh; returns its id. */
  async create(line: string, more: object = {}): Promise<string> {
    const command = { workingDirectory: "/tmp", command: "/bin/sh", args: ["-c", line] };
    return String((await this.ask("POST", "/api/terminals", { ...command, ...more }))["id"]);
  }

  /** Waits until a terminal has written this. */
  async untilText(id: string, text: string): Promise<void> {
    const until = [{ kind: "text", text }];
    const asked = { until, after: 0, timeoutMs: 10_000 };
    const { outcome } = await this.ask("POST", `/api/terminals/${id}/wait`, asked);
    if (outcome !== "text") throw new Error(`${text} did not come: ${String(outcome)}`);
  }

  /** Everything that a page could have changed. */
  async state(): Promise<unknown> {
    const { terminals } = await this.ask("GET", "/api/terminals");
    const { recordings } = await this.ask("GET", "/api/recordings");
    const { tokens } = await this.ask("GET", "/api/tokens");
    const { limits } = await this.ask("GET", "/api/host");
    return { terminals, recordings, limits, tokens: (tokens as unknown[]).length };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#own[Symbol.asyncDispose]();
  }
}

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

/** A site of somebody else on this machine: whatever it is asked for, it answers with an empty page. */
export async function startForeignSite(): Promise<{ readonly port: number } & AsyncDisposable> {
  const server = createServer((_request, response) => {
    response.writeHead(200, { "content-type": "text/html" });
    response.end("<!doctype html><title>elsewhere</title><body></body>");
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
