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

/** Most answers come at once; a slow one is followed by a liveness check. */
const FIRST_LOOK_MS = 3000;

/** Waits of hours are fine, as long as the daemon is alive. */
const LOOK_MS = 30_000;

/** Waits as long as the daemon is alive; not for one that hangs. */
async function whileReady<Answer>(
  socketPath: string,
  ask: (signal: AbortSignal) => Promise<Answer>,
): Promise<Answer> {
  const over = new AbortController();
  const hung = untilHung(socketPath, over.signal);
  // Irrelevant once there is an answer.
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
    // A daemon that is stopping breaks the connection by itself.
    if ((await probeDaemon(socketPath)) !== "hangs") continue;
    throw new NacreError("unavailable", "the daemon runs, but does not answer", {
      details: { hangs: true },
      suggestion: "`nacre status` shows its pid; end that process, and try again.",
    });
  }
}

/** Always the same, so that one verb can give back what another claimed. */
export const CLIENT_LABEL = "cli";

export interface DaemonLinkOptions {
  /** Starts a daemon also in a home that does not exist; default false. */
  readonly makesHome?: boolean | undefined;
}

/** Starts the daemon on demand. */
export class DaemonLink implements Disposable {
  readonly #makesHome: boolean;
  #calling: Promise<QuickCall> | undefined;
  #client: Promise<NodeClient> | undefined;

  constructor({ makesHome = false }: DaemonLinkOptions = {}) {
    this.#makesHome = makesHome;
  }

  async call<Name extends OperationName>(
    name: Name,
    input: OperationInput<Name>,
    options?: CallOptions,
  ): Promise<OperationOutput<Name>> {
    this.#calling ??= this.#chooseCall();
    const call = await this.#calling;
    return await call(name, input, options);
  }

  /** Idempotent operations only: also asks a successor. */
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

  /** Takes a tenth of a second to load. */
  client(): Promise<NodeClient> {
    this.#client ??= this.#connect();
    return this.#client;
  }

  /** A daemon of this very version is asked without schemas, which take longer to build than the answer. */
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

  /** By the unix socket as this user, or with NACRE_TOKEN. */
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

  /** The next call looks for the daemon anew. */
  #forget(): void {
    this[Symbol.dispose]();
    this.#calling = undefined;
    this.#client = undefined;
  }

  [Symbol.dispose](): void {
    // The caller got the reason.
    this.#client?.then((client) => client[Symbol.dispose]()).catch(() => undefined);
  }
}

async function isSocket(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isSocket();
  } catch {
    // Missing or not ours: the full client knows other ways.
    return false;
  }
}
