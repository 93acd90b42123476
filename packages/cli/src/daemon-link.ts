import { stat } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import type { CallOptions, Client } from "@nacre/client";
import type { NodeClient } from "@nacre/client/node";
import { type QuickCall, quickCaller } from "@nacre/client/quick";
import type { OperationInput, OperationName, OperationOutput } from "@nacre/contracts";
import { NacreError } from "@nacre/contracts/error";
import { callWithRetry, withTimeLeft } from "./call-with-retry.ts";
import { requireHome } from "./require-home.ts";
import { findOrStartDaemon } from "./start-daemon.ts";
import { VERSION } from "./version.ts";

/** Most answers come at once. Only behind one that does not it is asked whether the daemon answers at all. */
const FIRST_LOOK_MS = 3000;

/** Waits of hours are fine, while there is somebody to end them. */
const LOOK_MS = 30_000;

/** Waits for an answer for as long as the daemon answers at all; one that hangs is not waited for. */
async function whileReady<Answer>(
  socketPath: string,
  ask: (signal: AbortSignal) => Promise<Answer>,
): Promise<Answer> {
  const over = new AbortController();
  const hung = untilHung(socketPath, over.signal);
  // Whoever has an answer does not care.
  hung.catch(() => undefined);
  try {
    return await Promise.race([ask(over.signal), hung]);
  } finally {
    over.abort();
  }
}

async function untilHung(socketPath: string, signal: AbortSignal): Promise<never> {
  for (let waitMs = FIRST_LOOK_MS; ; waitMs = LOOK_MS) {
    await sleep(waitMs, undefined, { signal });
    const { probeDaemon } = await import("./is-ready.ts");
    // One that is ending breaks the connection by itself.
    if ((await probeDaemon(socketPath)) !== "hangs") continue;
    throw new NacreError("unavailable", "the daemon runs, but does not answer", {
      details: { hangs: true },
      suggestion: "`nacre status` tells its process; end that, and try again.",
    });
  }
}

/** What the CLI is called among the clients of its user: always the same, so that one verb can give back what another claimed. */
export const CLIENT_LABEL = "cli";

export interface DaemonLinkOptions {
  /** Whether a daemon is started also in a home that is not there; false when absent. */
  readonly makesHome?: boolean | undefined;
}

/** The way to the daemon, which is started when it is needed and does not run. */
export class DaemonLink implements Disposable {
  readonly #makesHome: boolean;
  #calling: Promise<QuickCall> | undefined;
  #client: Promise<NodeClient> | undefined;

  constructor({ makesHome = false }: DaemonLinkOptions = {}) {
    this.#makesHome = makesHome;
  }

  /** Asks for one operation. */
  async call<Name extends OperationName>(
    name: Name,
    input: OperationInput<Name>,
    options?: CallOptions,
  ): Promise<OperationOutput<Name>> {
    this.#calling ??= this.#chooseCall();
    const call = await this.#calling;
    return await call(name, input, options);
  }

  /** Asks for one operation that does no more when it is asked for twice, also a daemon that took the place of another meanwhile. */
  async callAgain<Name extends OperationName>(
    name: Name,
    input: OperationInput<Name>,
    options?: CallOptions,
  ): Promise<OperationOutput<Name>> {
    const since = performance.now();
    return await callWithRetry({
      connect: async () => {
        this.#calling ??= this.#chooseCall();
        const call = await this.#calling;
        return () => call(name, withTimeLeft(name, input, performance.now() - since), options);
      },
      forget: () => this.#forget(),
      isRepeatable: true,
      signal: options?.signal,
    });
  }

  /** The whole client, with feeds and transfers; it takes a tenth of a second to load. */
  client(): Promise<NodeClient> {
    this.#client ??= this.#connect();
    return this.#client;
  }

  /** A daemon of this very version is asked without the schemas, which take longer to build than the answer takes to come. */
  async #chooseCall(): Promise<QuickCall> {
    const { socketPath, version } = await this.#find();
    const isQuick = version === VERSION && !process.env["NACRE_TOKEN"];
    if (isQuick && (await isSocket(socketPath))) {
      const call = quickCaller({ socketPath, clientLabel: CLIENT_LABEL });
      return (name, input, { signal: given } = {}) =>
        whileReady(socketPath, (over) => {
          const signal = given ? AbortSignal.any([given, over]) : over;
          return call(name, input, { signal });
        });
    }
    const client: Client = await this.client();
    return <Name extends OperationName>(
      name: Name,
      input: OperationInput<Name>,
      options?: CallOptions,
    ) => {
      const method: Client[Name] = client[name];
      return method(input, options);
    };
  }

  /** By the unix socket as this user, or with a token of the environment as whom that stands for. */
  async #connect(): Promise<NodeClient> {
    const { url } = await this.#find();
    const { connectLocal, connectProven } = await import("@nacre/client/node");
    const clientLabel = CLIENT_LABEL;
    const token = process.env["NACRE_TOKEN"];
    return token ? connectProven({ url, token, clientLabel }) : await connectLocal({ clientLabel });
  }

  async #find(): ReturnType<typeof findOrStartDaemon> {
    if (!this.#makesHome) requireHome();
    return await findOrStartDaemon();
  }

  /** Whoever asks next looks for the daemon anew. */
  #forget(): void {
    this[Symbol.dispose]();
    this.#calling = undefined;
    this.#client = undefined;
  }

  [Symbol.dispose](): void {
    // Who asked for it was told why it could not be made.
    this.#client?.then((client) => client[Symbol.dispose]()).catch(() => undefined);
  }
}

async function isSocket(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isSocket();
  } catch {
    // Not there, or not for us: the whole client knows other ways.
    return false;
  }
}
