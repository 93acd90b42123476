import { type OwnDaemon, ownDaemon } from "./own-daemon.ts";

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

/** What a host notices by itself, whoever asks for what. */
const NOTICED: readonly string[] = ["inputNeeded", "viewers"];

/** Leaves out what nobody has to be let in for to change it. */
export const withoutNoticed = (name: string, value: unknown): unknown =>
  NOTICED.includes(name) ? undefined : value;
