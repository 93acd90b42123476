import type { Client } from "@nacre/client";
import { execInDoubt, runInDoubt } from "@nacre/client/quick";
import { connectLocal, connectProven, type NodeClient } from "@nacre/client/node";
import {
  NacreError,
  OPERATIONS,
  type OperationInput,
  type OperationName,
  type OperationOutput,
  type TerminalId,
} from "@nacre/contracts";
import type { OperationCaller } from "@nacre/host";
import { callWithRetry, withTimeLeft } from "./call-with-retry.ts";
import { Presence } from "./presence.ts";
import { findOrStartDaemon } from "./start-daemon.ts";

/** Starts the daemon on demand. */
export class LocalCaller implements OperationCaller, Disposable {
  readonly #clientLabel = `mcp-${process.pid}`;
  #connecting: Promise<NodeClient> | undefined;
  #presence: Presence | undefined;

  /** Connects in advance, so that the first operation does not wait. */
  connect(): void {
    this.#connected().catch(() => undefined);
  }

  async call<Name extends OperationName>(
    name: Name,
    input: OperationInput<Name>,
    options: { readonly signal: AbortSignal },
  ): Promise<OperationOutput<Name>> {
    const { mutates } = OPERATIONS[name];
    const since = performance.now();
    const id = "id" in input ? (input.id as TerminalId | undefined) : undefined;
    const execId = name === "execCommand" ? id : undefined;
    const runId = name === "runCommand" ? id : undefined;
    return await callWithRetry({
      connect: async () => {
        const client: Client = await this.#connected();
        const method: Client[Name] = client[name];
        return () => method(withTimeLeft(name, input, performance.now() - since), options);
      },
      forget: () => this.#forget(),
      isRepeatable: !mutates || execId !== undefined,
      inDoubt: mutates ? (error) => inDoubt(error, { execId, runId }) : undefined,
      signal: options.signal,
    });
  }

  [Symbol.dispose](): void {
    this.#forget();
    this.#presence?.[Symbol.dispose]();
  }

  #forget(): void {
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
      return await this.#open();
    } catch (error) {
      // The next call tries again.
      this.#connecting = undefined;
      throw error;
    }
  }

  /** By the unix socket as this user, or with NACRE_TOKEN. */
  async #open(): Promise<NodeClient> {
    const { url } = await findOrStartDaemon();
    const clientLabel = this.#clientLabel;
    const token = process.env["NACRE_TOKEN"];
    // The unix socket authenticates the user, not whom a token stands for.
    if (token) return connectProven({ url, token, clientLabel });
    if (!this.#presence) {
      this.#presence = new Presence(clientLabel);
      await this.#presence.begin();
    }
    return await connectLocal({ clientLabel });
  }
}

/** It may have been done: asking again may do it twice. */
function inDoubt(
  error: unknown,
  { execId, runId }: Readonly<Record<"execId" | "runId", TerminalId | undefined>>,
): NacreError {
  if (execId !== undefined) return execInDoubt(execId, error);
  if (runId !== undefined) return runInDoubt(runId, error);
  const message = error instanceof Error ? error.message : String(error);
  return new NacreError("unavailable", message, {
    cause: error,
    suggestion: "It may have been done: look at the terminal before you ask again.",
  });
}
