import type { Client } from "@nacre/client";
import { connectLocal, connectProven, type NodeClient } from "@nacre/client/node";
import {
  NacreError,
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
    const client: Client = await this.#connected();
    const method: Client[Name] = client[name];
    try {
      return await method(input, options);
    } catch (error) {
      // The daemon may have ended; the next operation looks for it anew.
      if (error instanceof NacreError && error.code === "unavailable") this[Symbol.dispose]();
      throw error;
    }
  }

  [Symbol.dispose](): void {
    const connected = this.#connecting;
    this.#connecting = undefined;
    connected?.then((client) => client[Symbol.dispose]()).catch(() => undefined);
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

/** By the unix socket as this user, or with a token of the environment as whom that stands for. */
async function openClient(): Promise<NodeClient> {
  const { url } = await findOrStartDaemon();
  const clientLabel = `mcp-${process.pid}`;
  const token = process.env["NACRE_TOKEN"];
  return token ? connectProven({ url, token, clientLabel }) : await connectLocal({ clientLabel });
}
