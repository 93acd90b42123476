import type { Caller, Scope, TerminalId } from "@nacre/contracts";
import type { Host, HostOptions, Terminal } from "@nacre/host";
import { type ClientOptions, WebSocket } from "ws";
import { startGuarded } from "../../packages/host/src/auth/testing/guarded-server.ts";
import { Operations } from "../../packages/host/src/operations/operations.ts";
import { splitTarget } from "../../packages/host/src/auth/check-request.ts";
import type { SocketsState } from "../../packages/host/src/socket/client-sockets.ts";
import { createRawUpgrades } from "../../packages/host/src/transports/raw/raw-upgrades.ts";
import {
  ServiceUpgrades,
  type ServiceUpgradesDeps,
} from "../../packages/host/src/transports/terminal-service/service-upgrades.ts";
import { openHost } from "../support/open-host.ts";
import { shLine } from "../support/terminal-input.ts";

/** How a server of a test is set up. */
export interface ServerOptions extends Partial<Omit<ServiceUpgradesDeps, "operations">> {
  readonly host?: HostOptions;
}

/** How a client connects. */
interface ConnectOptions extends ClientOptions {
  readonly scope?: "operator" | "readOnly";
  readonly protocols?: string[];
}

/** A host behind a server on a port of its own. */
export interface TestServer extends AsyncDisposable {
  readonly host: Host;
  /** Who everybody is that connects, but for who may only look. */
  readonly caller: Caller;
  readonly tokens: Readonly<Record<"operator" | "readOnly", string>>;
  /** What there is under way to the sockets of both kinds; disposing it closes them. */
  readonly upgrades: Disposable & { readonly state: SocketsState };
  readonly port: number;
  /** What failed that no client was told. */
  readonly problems: unknown[];
  /** Runs a command line with sh, for whoever connects. */
  create(line: string): Promise<Terminal>;
  /** Opens a client; `path` begins with a slash. */
  connect(path: string, options?: ConnectOptions): Client;
}

const SERVICE = { enabled: true, password: { isLoggedIn: () => true }, platform: {} };

/** Opens a host and serves its sockets. */
export async function openServer(options: ServerOptions = {}): Promise<TestServer> {
  const host = await openHost(options.host);
  const problems: unknown[] = [];
  const handleProblem = (error: unknown): void => void problems.push(error);
  const operations = new Operations({
    registry: host.registry,
    bus: host.bus,
    audit: { append: async () => undefined, list: () => Promise.reject(new Error("not here")) },
    hostFacts: () => {
      throw new Error("not here");
    },
    handleProblem,
  });
  const raw = createRawUpgrades({ operations, handleProblem, ...options });
  const service = new ServiceUpgrades({ operations, service: SERVICE, handleProblem, ...options });
  const guarded = await startGuarded({
    handleUpgrade: (request, ...arrived) => {
      const { path } = splitTarget(request.url ?? "");
      (service.paths.includes(path) ? service : raw).handleUpgrade(request, ...arrived);
    },
  });
  const upgrades = {
    get state(): SocketsState {
      return {
        sockets: raw.state.sockets + service.state.sockets,
        bufferedBytes: raw.state.bufferedBytes + service.state.bufferedBytes,
      };
    },
    [Symbol.dispose]: () => {
      raw[Symbol.dispose]();
      service[Symbol.dispose]();
    },
  };
  const { port, tokens } = guarded;
  const tokenOf = (scope: Scope): string => tokens.create({ name: `a-${scope}`, scope }).token;
  const secrets = { operator: tokenOf("operator"), readOnly: tokenOf("readOnly") };
  const caller = tokens.verify(secrets.operator)!.caller;
  const clients: Client[] = [];
  return {
    host,
    caller,
    tokens: secrets,
    upgrades,
    port,
    problems,
    create: (line) => host.createTerminal(shLine(line), { by: caller }),
    connect: (path, { scope = "operator", protocols = [], ...clientOptions } = {}) => {
      const url = `ws://127.0.0.1:${port}${path}`;
      const headers = { authorization: `Bearer ${secrets[scope]}` };
      const client = new Client(new WebSocket(url, protocols, { headers, ...clientOptions }));
      clients.push(client);
      return client;
    },
    [Symbol.asyncDispose]: async () => {
      upgrades[Symbol.dispose]();
      for (const client of clients) client.socket.terminate();
      await guarded[Symbol.asyncDispose]();
      await host[Symbol.asyncDispose]();
    },
  };
}

/** Where the socket of a terminal is. */
export const connectPath = (id: TerminalId, query = ""): string =>
  `/api/terminals/${id}/connect${query}`;

/** One message as it came. */
export type Message = { readonly bytes: Buffer } | { readonly json: Control };

/** A text frame. */
export type Control = Readonly<Record<string, unknown>>;

/** A client that keeps everything it got, and lets tests wait for more. */
export class Client {
  readonly socket: WebSocket;
  readonly messages: Message[] = [];
  readonly #listeners = new Set<() => void>();
  close: { readonly code: number; readonly reason: string } | undefined;
  status: number | undefined;

  constructor(socket: WebSocket) {
    this.socket = socket;
    socket.on("message", (data: Buffer, isBinary: boolean) => {
      this.messages.push(isBinary ? { bytes: data } : { json: JSON.parse(data.toString()) });
      this.#tell();
    });
    socket.on("unexpected-response", (_request, response) => {
      this.status = response.statusCode;
      response.resume();
      this.#tell();
    });
    socket.on("error", () => this.#tell());
    socket.on("open", () => this.#tell());
    socket.on("close", (code: number, reason: Buffer) => {
      this.close = { code, reason: reason.toString() };
      this.#tell();
    });
  }

  /** All bytes that came. */
  get bytes(): Buffer {
    return Buffer.concat(
      this.messages.flatMap((message) => ("bytes" in message ? message.bytes : [])),
    );
  }

  get text(): string {
    return this.bytes.toString();
  }

  /** All text frames that came. */
  get controls(): readonly Control[] {
    return this.messages.flatMap((message) => ("json" in message ? [message.json] : []));
  }

  /** The data of text frames of this type, joined. */
  dataOf(...types: readonly string[]): string {
    return this.controls
      .filter(({ type }) => types.includes(String(type)))
      .map(({ data }) => String(data))
      .join("");
  }

  controlsOf(type: string): readonly Control[] {
    return this.controls.filter((control) => control["type"] === type);
  }

  /** Resolves when something is so; looks again whenever something comes. */
  async until(isSo: () => boolean): Promise<void> {
    while (!isSo()) {
      if (this.close) throw new Error(`closed with ${this.close.code} ${this.close.reason}`);
      await new Promise<void>((resolve) => this.#listeners.add(resolve));
    }
  }

  /** Resolves with how the socket was closed. */
  async untilClosed(): Promise<{ readonly code: number; readonly reason: string }> {
    while (!this.close) await new Promise<void>((resolve) => this.#listeners.add(resolve));
    return this.close;
  }

  async untilOpen(): Promise<this> {
    await this.until(() => this.socket.readyState === WebSocket.OPEN);
    return this;
  }

  say(control: unknown): void {
    this.socket.send(JSON.stringify(control));
  }

  #tell(): void {
    const listeners = [...this.#listeners];
    this.#listeners.clear();
    for (const listener of listeners) listener();
  }
}
