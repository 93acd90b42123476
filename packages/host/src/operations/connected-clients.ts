import type { Caller, ClientId } from "@nacre/contracts";
import type { Registry } from "../registry/registry.ts";

/** Which clients are connected; one may have several connections, and is gone with the last of them. */
export class ConnectedClients {
  readonly #registry: Registry;
  readonly #connections = new Map<ClientId, number>();

  constructor(registry: Registry) {
    this.#registry = registry;
  }

  /** A client has one more connection. */
  connect({ clientId }: Caller): void {
    if (clientId === undefined) return;
    const count = this.#connections.get(clientId) ?? 0;
    this.#connections.set(clientId, count + 1);
    if (count > 0) return;
    for (const { claims } of this.#registry.list()) claims.clientBack(clientId);
  }

  /** A client has one connection less. */
  disconnect({ clientId }: Caller): void {
    if (clientId === undefined) return;
    const rest = (this.#connections.get(clientId) ?? 1) - 1;
    if (rest > 0) {
      this.#connections.set(clientId, rest);
      return;
    }
    this.#connections.delete(clientId);
    for (const { claims } of this.#registry.list()) claims.clientGone(clientId);
  }
}
