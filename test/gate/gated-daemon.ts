// A real daemon with every kind of credential, and what it looks like to whoever may see everything.
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { readdirSync, readFileSync } from "node:fs";
import { Server } from "node:http";
import { connect } from "node:net";
import { join } from "node:path";
import { SYSTEM_CLOCK } from "../../packages/host/src/base/clock.ts";
import { Tokens } from "../../packages/host/src/auth/tokens.ts";
import { withoutNoticed } from "../support/operated-daemon.ts";
import { type OwnDaemon, ownDaemon } from "../support/own-daemon.ts";
import { ownDirectory } from "../support/own-directory.ts";
import { type Answer, AnswerReader } from "./answer.ts";
import { MemorySocket } from "./memory-socket.ts";

/** The secrets of tokens, by what they are good for. */
export interface Secrets {
  readonly operator: string;
  readonly agent: string;
  readonly readOnly: string;
  readonly expired: string;
  /** Well formed, and nobody's. */
  readonly wrong: string;
}

/** One request as it goes over the wire. */
export interface Wire {
  readonly method: string;
  readonly text: string;
}

/** Failures are counted by where they come from; a source of its own keeps each request out of the count of others. */
let sources = 0;

const DAY_MS = 86_400_000;

/** A daemon with one terminal that says nothing, and a token that is there to be taken away. */
export class GatedDaemon implements AsyncDisposable {
  readonly port: number;
  readonly secrets: Secrets;
  readonly #home: string;
  readonly #server: Server;
  readonly #stack: AsyncDisposableStack;
  terminalId = "";

  private constructor(parts: {
    readonly own: OwnDaemon;
    readonly secrets: Secrets;
    readonly server: Server;
    readonly stack: AsyncDisposableStack;
  }) {
    this.port = parts.own.port;
    this.secrets = parts.secrets;
    this.#home = parts.own.home;
    this.#server = parts.server;
    this.#stack = parts.stack;
  }

  static async open(): Promise<GatedDaemon> {
    await using stack = new AsyncDisposableStack();
    const { path: home } = stack.use(ownDirectory());
    const secrets = makeTokens(home);
    const own = stack.use(await ownDaemon({ home }));
    const server = await serverBehind(own.url);
    const gated = new GatedDaemon({ own, secrets, server, stack: stack.move() });
    await gated.createTerminal();
    return gated;
  }

  /** Creates another terminal that says nothing, and goes on with that. */
  async createTerminal(): Promise<void> {
    const body = { workingDirectory: "/tmp", command: "/bin/cat" };
    this.terminalId = String((await this.#operate("POST", "/api/terminals", body))["id"]);
  }

  /** Sends a request over a connection of its own that has no network; hundreds fit into the time of one that has. */
  ask({ method, text }: Wire): Promise<Answer> {
    const { promise, resolve } = Promise.withResolvers<Answer>();
    const reader = new AnswerReader(method);
    const socket = new MemorySocket(nextSource("10"), (chunk) => {
      const answer = reader.add(chunk);
      if (!answer) return;
      socket.destroy();
      resolve(answer);
    });
    socket.once("close", () => resolve(reader.end()));
    this.#server.emit("connection", socket);
    socket.give(text);
    return promise;
  }

  /** Sends a request over the network. */
  askOverTcp({ method, text }: Wire): Promise<Answer> {
    const { promise, resolve } = Promise.withResolvers<Answer>();
    const reader = new AnswerReader(method);
    const localAddress = nextSource("127").address;
    const socket = connect({ host: "127.0.0.1", port: this.port, localAddress });
    socket.on("data", (chunk) => {
      const answer = reader.add(chunk);
      if (!answer) return;
      socket.destroy();
      resolve(answer);
    });
    socket.on("error", () => undefined);
    socket.once("close", () => resolve(reader.end()));
    socket.write(text, "latin1");
    return promise;
  }

  /** Everything that a request could have changed. */
  async state(): Promise<unknown> {
    return {
      terminals: await this.#operate("GET", "/api/terminals"),
      terminal: await this.#operate("GET", `/api/terminals/${this.terminalId}`),
      entries: await this.#operate("GET", `/api/terminals/${this.terminalId}/recording`),
      recordings: await this.#operate("GET", "/api/recordings"),
      limits: (await this.#operate("GET", "/api/host"))["limits"],
      tokens: readFileSync(join(this.#home, "tokens.json"), "utf8"),
      children: childrenOf(process.pid),
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#stack.disposeAsync();
  }

  async #operate(method: string, path: string, body?: object): Promise<Record<string, unknown>> {
    const content = body === undefined ? "" : JSON.stringify(body);
    const text = [
      `${method} ${path} HTTP/1.1`,
      `Host: 127.0.0.1:${this.port}`,
      `Authorization: Bearer ${this.secrets.operator}`,
      ...(body === undefined
        ? []
        : ["Content-Type: application/json", `Content-Length: ${content.length}`]),
      "",
      content,
    ].join("\r\n");
    const answer = await this.ask({ method, text: body === undefined ? `${text}\r\n` : text });
    return JSON.parse(answer.body, withoutNoticed) as Record<string, unknown>;
  }
}

/** Makes a token of each kind; one of them long ago, so that it has expired. */
function makeTokens(home: string): Secrets {
  const long = new Tokens(home, { ...SYSTEM_CLOCK, now: () => Date.now() - 2 * DAY_MS });
  const expiresAt = new Date(Date.now() - DAY_MS).toISOString();
  const expired = long.create({ name: "expired", scope: "operator", expiresAt }).token;
  long[Symbol.dispose]();
  using tokens = new Tokens(home);
  tokens.create({ name: "victim", scope: "readOnly" });
  return {
    operator: tokens.operatorSecret,
    agent: tokens.create({ name: "an-agent", scope: "agent" }).token,
    readOnly: tokens.create({ name: "a-reader", scope: "readOnly" }).token,
    expired,
    wrong: `nacre_${"A".repeat(43)}`,
  };
}

/** Finds the server that a daemon listens with, which is nobody's to ask for. */
async function serverBehind(url: string): Promise<Server> {
  let found: Server | undefined;
  const look = (message: unknown): void => {
    if (typeof message !== "object" || message === null || !("server" in message)) return;
    if (message.server instanceof Server) found = message.server;
  };
  subscribe("http.server.request.start", look);
  await fetch(new URL("/healthz", url));
  unsubscribe("http.server.request.start", look);
  if (!found) throw new Error(`no server answered at ${url}`);
  return found;
}

const nextSource = (net: string) => {
  sources += 1;
  const [high, low] = [(sources >> 8) & 0xff, sources & 0xff];
  return { address: `${net}.${1 + ((sources >> 16) & 0x7f)}.${high}.${low}`, port: 40_000 };
};

/** The processes that a process has started and that still run. */
const childrenOf = (pid: number): readonly string[] =>
  readdirSync(`/proc/${pid}/task`)
    .flatMap((task) => childrenOfThread(`/proc/${pid}/task/${task}/children`))
    .toSorted((one, other) => Number(one) - Number(other));

function childrenOfThread(path: string): readonly string[] {
  try {
    return readFileSync(path, "utf8")
      .split(" ")
      .filter((child) => child !== "");
  } catch {
    return []; // The thread has ended meanwhile.
  }
}
