import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import type { Scope } from "@nacre/contracts";
import {
  createHost,
  defaultLaunchPolicy,
  type Host,
  type HostOptions,
  type LaunchPolicy,
} from "@nacre/host";
import { describeTcpListener } from "../../packages/host/src/auth/check-request.ts";
import { Prover } from "../../packages/host/src/auth/proof.ts";
import { SERVER_OPTIONS, ServerGuard } from "../../packages/host/src/auth/server-guard.ts";
import { TerminalPassword } from "../../packages/host/src/transports/terminal-service/terminal-password.ts";
import { Tickets } from "../../packages/host/src/auth/tickets.ts";
import { Tokens } from "../../packages/host/src/auth/tokens.ts";
import {
  createHttpRouter,
  type HttpRouter,
} from "../../packages/host/src/transports/http/http-router.ts";
import type { RouterOptions } from "../../packages/host/src/transports/http/route.ts";
import { sessionRoutes } from "../../packages/host/src/transports/terminal-service/session-routes.ts";
import { ownDirectory } from "../support/own-directory.ts";

/** An answer that was read to its end. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: unknown;
}

/** What a request says. */
export interface Asked {
  readonly token?: string | undefined;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** How a rig differs from a usual host. */
export interface RigOptions extends Partial<Pick<RouterOptions, "streams">> {
  readonly host?: HostOptions;
  readonly password?: string;
  readonly enabled?: boolean;
}

/** Shells start with a home that is empty, so that nobody's own settings matter and none are changed. */
function policyIn(home: string): LaunchPolicy {
  const policy = defaultLaunchPolicy("0.0.0");
  const env = { ...policy.probe.env, HOME: home, SHELL: "/bin/sh" };
  return { ...policy, home, probe: { ...policy.probe, env } };
}

/** A host behind its guard and its router, reached over a real socket. */
export class HttpRig implements AsyncDisposable {
  readonly host: Host;
  readonly router: HttpRouter;
  readonly url: string;
  /** What was thrown that is a bug. */
  readonly problems: unknown[];
  /** The secret of the operator's token. */
  readonly token: string;
  readonly #tokens: Tokens;
  readonly #stack: AsyncDisposableStack;

  private constructor(parts: {
    readonly host: Host;
    readonly router: HttpRouter;
    readonly tokens: Tokens;
    readonly port: number;
    readonly problems: unknown[];
    readonly stack: AsyncDisposableStack;
  }) {
    this.host = parts.host;
    this.router = parts.router;
    this.url = `http://127.0.0.1:${parts.port}`;
    this.problems = parts.problems;
    this.token = parts.tokens.operatorSecret;
    this.#tokens = parts.tokens;
    this.#stack = parts.stack;
  }

  static async open({ host: hostOptions, streams, password, enabled = true }: RigOptions = {}) {
    await using stack = new AsyncDisposableStack();
    const { path: root } = stack.use(ownDirectory());
    const problems: unknown[] = [];
    const report = (error: unknown): void => void problems.push(error);
    const tokens = stack.use(new Tokens(root));
    const tickets = new Tickets();
    const directory = join(root, "store");
    const host = stack.use(
      await createHost({
        directory,
        tokens,
        tickets,
        policy: policyIn(root),
        handleProblem: (_, error) => report(error),
        ...hostOptions,
      }),
    );
    const guard = stack.use(
      new ServerGuard({ tokens, tickets, audit: host.audit, readPeer: () => undefined, report }),
    );
    const router = stack.use(
      createHttpRouter({
        operations: host.operations,
        prover: new Prover(tokens),
        foreignRoutes: sessionRoutes({
          operations: host.operations,
          service: {
            enabled,
            password: new TerminalPassword({ password }),
            platform: { platform: process.platform, defaultShell: "/bin/sh" },
          },
        }),
        mcp: { answer: async () => new Response(null, { status: 501 }) },
        metrics: {
          connections: () => new Map(Object.entries(guard.counts)),
          refusals: () => new Map(),
        },
        openStream: (caller) => guard.openStream(caller),
        handleProblem: report,
        ...(streams === undefined ? {} : { streams }),
      }),
    );
    const server = createServer(SERVER_OPTIONS);
    await new Promise<void>((resolve) => {
      server.listen(0, "127.0.0.1", resolve);
    });
    const { port } = server.address() as AddressInfo;
    guard.guardServer(server, describeTcpListener({ port }), {
      publicPaths: router.routes
        .filter(({ access, method }) => access === "public" && method === "GET")
        .map(({ path }) => path),
      handleRequest: (...arrived) => router.handleRequest(...arrived),
      handleUpgrade: (_request, socket) => void socket.destroy(),
    });
    stack.defer(() => void server.close());
    return new HttpRig({ host, router, tokens, port, problems, stack: stack.move() });
  }

  /** Makes a token of a scope and returns its secret. */
  tokenFor(name: string, scope: Scope): string {
    return this.#tokens.create({ name, scope }).token;
  }

  /** Asks and reads the whole answer; the operator asks unless somebody else is named. */
  async ask(method: string, path: string, asked: Asked = {}): Promise<Answer> {
    const response = await this.fetch(method, path, asked);
    const text = await response.text();
    const isJson = response.headers.get("content-type")?.startsWith("application/json") ?? false;
    const body: unknown = isJson ? JSON.parse(text) : text;
    return { status: response.status, headers: response.headers, body };
  }

  /** Asks and leaves the answer to be read. */
  fetch(method: string, path: string, { token = this.token, body, headers }: Asked = {}) {
    return fetch(this.url + path, {
      method,
      headers: {
        ...(token === "" ? {} : { authorization: `Bearer ${token}` }),
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...headers,
      },
      ...(body === undefined
        ? {}
        : { body: typeof body === "string" ? body : JSON.stringify(body) }),
    });
  }

  /** Creates a terminal that runs this line with sh, and returns its id. */
  async create(line: string, token?: string): Promise<string> {
    const body = { workingDirectory: "/tmp", command: "/bin/sh", args: ["-c", line] };
    const answer = await this.ask("POST", "/api/terminals", { body, token });
    if (answer.status !== 201) throw new Error(`not created: ${JSON.stringify(answer.body)}`);
    return (answer.body as { id: string }).id;
  }

  /** Waits until a terminal has ended and everything of it is recorded. */
  async untilEnded(id: string): Promise<void> {
    const body = { until: [{ kind: "exit" }], after: 0, timeoutMs: 10_000 };
    const answer = await this.ask("POST", `/api/terminals/${id}/wait`, { body });
    if ((answer.body as { outcome: string }).outcome !== "exit") {
      throw new Error(`${id} did not end: ${JSON.stringify(answer.body)}`);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#stack.disposeAsync();
  }
}
