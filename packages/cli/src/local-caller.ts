import type { Client } from "@nacre/client";
import { connectLocal, connectProven, type NodeClient } from "@nacre/client/node";
import {
  NacreError,
  OPERATIONS,
  type OperationInput,
  type OperationName,
  type OperationOutput,
} from "@nacre/contracts";
import type { OperationCaller } from "@nacre/host";
import { findOrStartDaemon } from "./start-daemon.ts";

/** Does operations with the daemon of this user, which is started when it is needed and does not run. */
export class LocalCaller implements OperationCaller, Disposable {
  #connecting: Promise<NodeClient> | undefined;

  /** Begins to connect, so that the first operation does not wait for it. */
  connect(): void {
    this.#connected().catch(() => undefined);
  }

  async call<Name extends OperationName>(
    name: Name,
    input: OperationInput<Name>,
    options: { readonly signal: AbortSignal },
  ): Promise<OperationOutput<Name>> {
    try {
      return await this.#try(name, input, options);
    } catch (error) {
      const isAgain = isAway(error) && (!OPERATIONS[name].mutates || neverArrived(error));
      if (!isAgain || options.signal.aborted) throw error;
      return await this.#try(name, input, options);
    }
  }

  [Symbol.dispose](): void {
    const connected = this.#connecting;
    this.#connecting = undefined;
    connected?.then((client) => client[Symbol.dispose]()).catch(() => undefined);
  }

  async #try<Name extends OperationName>(
    name: Name,
    input: OperationInput<Name>,
    options: { readonly signal: AbortSignal },
  ): Promise<OperationOutput<Name>> {
    const client: Client = await this.#connected();
    const method: Client[Name] = client[name];
    try {
      return await method(input, options);
    } catch (error) {
      // The daemon may have ended; whoever asks next looks for it anew.
      if (isAway(error) && !options.signal.aborted) this[Symbol.dispose]();
      throw error;
    }
  }

  #connected(): Promise<NodeClient> {
    this.#connecting ??= this.#connect();
    return this.#connecting;
  }

  async #connect(): Promise<NodeClient> {
    try {
      return await openClient();
    } catch (error) {
      // Whoever asks next tries again.
      this.#connecting = undefined;
      throw error;
    }
  }
}

const isAway = (error: unknown): error is NacreError =>
  error instanceof NacreError && error.code === "unavailable";

/** Whether nobody was there to be asked, so that nothing can have been done. */
function neverArrived({ cause }: NacreError): boolean {
  for (let reason = cause; reason instanceof Error; reason = reason.cause) {
    const { code } = reason as NodeJS.ErrnoException;
    if (code === "ECONNREFUSED" || code === "ENOENT") return true;
  }
  return false;
}

/** By the unix socket as this user, or with a token of the environment as whom that stands for. */
async function openClient(): Promise<NodeClient> {
  const { url } = await findOrStartDaemon();
  const clientLabel = `mcp-${process.pid}`;
  const token = process.env["NACRE_TOKEN"];
  return token ? connectProven({ url, token, clientLabel }) : await connectLocal({ clientLabel });
}
