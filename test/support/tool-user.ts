import {
  Client,
  type RequestOptions,
  StreamableHTTPClientTransport,
} from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { z } from "zod";
import { environmentOf, NACRE } from "./nacre-program.ts";

const Facts = z.record(z.string(), z.unknown());

/** The tools whose text is a screen. */
const SHOWS_SCREEN: ReadonlySet<string> = new Set(["terminal_screen", "terminal_keys"]);

/** What a tool answered. */
export interface Answer {
  readonly isError: boolean;
  /** The facts, which are the last line, and what stands before them as `output` or `screen`. */
  readonly value: Readonly<Record<string, unknown>>;
  /** All of it, as a model reads it. */
  readonly text: string;
}

/** Which versions of the protocol a client speaks: those that open with a handshake, or those where each message stands by itself. */
export type Era = "legacy" | "modern";

/** How a client over standard input and output is started. */
interface StdioOptions {
  readonly env?: Readonly<Record<string, string>> | undefined;
  readonly era?: Era | undefined;
}

/** A client that uses tools by name. */
export class ToolUser implements AsyncDisposable {
  readonly client: Client;

  private constructor(client: Client) {
    this.client = client;
  }

  /** Connects over the standard input and output of `nacre mcp`. */
  static async overStdio(home: string, { env, era }: StdioOptions = {}) {
    const transport = new StdioClientTransport({
      command: process.execPath,
      args: [...NACRE, "mcp"],
      env: { ...environmentOf(home), ...env },
      cwd: home,
      stderr: "inherit",
    });
    const user = new ToolUser(newClient(era));
    await user.client.connect(transport);
    return { user, pid: transport.pid ?? 0 };
  }

  /** Connects to the address of a daemon. */
  static async overHttp(url: string, token: string, era?: Era): Promise<ToolUser> {
    const transport = new StreamableHTTPClientTransport(new URL("/mcp", url), {
      requestInit: { headers: { authorization: `Bearer ${token}` } },
    });
    const user = new ToolUser(newClient(era));
    await user.client.connect(transport);
    return user;
  }

  /** Uses a tool. */
  async use(name: string, given: object = {}, options: RequestOptions = {}): Promise<Answer> {
    const result = await this.client.callTool({ name, arguments: { ...given } }, options);
    const [first, ...others] = result.content;
    if (first?.type !== "text" || others.length > 0) throw new Error("an answer is one text");
    const { text } = first;
    const end = text.lastIndexOf("\n");
    const printed = {
      [SHOWS_SCREEN.has(name) ? "screen" : "output"]: text.slice(0, Math.max(0, end)),
    };
    const facts = Facts.parse(JSON.parse(text.slice(end + 1)));
    return { isError: result.isError === true, value: { ...printed, ...facts }, text };
  }

  /** Uses a tool that must not fail. */
  async get(
    name: string,
    given: object = {},
    options: RequestOptions = {},
  ): Promise<Answer["value"]> {
    const { isError, value, text } = await this.use(name, given, options);
    if (isError) throw new Error(`${name}: ${text}`);
    return value;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.client.close();
  }
}

const newClient = (era: Era = "legacy"): Client =>
  new Client(
    { name: "nacre-test", version: "1.0.0" },
    { versionNegotiation: { mode: era === "modern" ? { pin: "2026-07-28" } : "legacy" } },
  );
