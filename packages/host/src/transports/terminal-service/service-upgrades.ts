import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import type { AuthContext } from "../../auth/auth-context.ts";
import { splitTarget } from "../../auth/check-request.ts";
import { TERMINAL_SERVICE_PATH } from "../../auth/server-guard.ts";
import { CREDIT_BYTES } from "../../socket/client-socket.ts";
import {
  ClientSockets,
  createWebSocketServer,
  type SocketsState,
} from "../../socket/client-sockets.ts";
import { acceptSocket, type UpgradesDeps } from "../raw/socket-deps.ts";
import type { SocketAccess } from "./service-access.ts";
import { serveService } from "./service-socket.ts";

/** Clients may type 1,048,576 characters at once, and JSON spells some of them longer. */
const MAX_MESSAGE_BYTES = 2 * 1024 * 1024;

/** What may be under way through a socket that several sessions share. */
const SHARED_CREDIT_BYTES = 4 * CREDIT_BYTES;

export interface ServiceUpgradesDeps extends UpgradesDeps {
  /** Who may use the terminal service. */
  readonly service: SocketAccess;
}

/** The WebSockets of the terminal service. Requests are let in by somebody else before they come here. */
export class ServiceUpgrades implements Disposable {
  readonly paths: readonly string[] = [TERMINAL_SERVICE_PATH];
  readonly #deps: ServiceUpgradesDeps;
  readonly #server = createWebSocketServer(MAX_MESSAGE_BYTES);
  readonly #sockets: ClientSockets;

  constructor(deps: ServiceUpgradesDeps) {
    this.#deps = deps;
    this.#sockets = new ClientSockets(deps.heartbeatMs);
  }

  get state(): SocketsState {
    return this.#sockets.state;
  }

  /** Makes a WebSocket of a request that was let in. */
  readonly handleUpgrade = (
    request: IncomingMessage,
    socket: Duplex,
    head: Buffer,
    admission: AuthContext,
  ): void => {
    const query = new URLSearchParams(splitTarget(request.url ?? "").query);
    this.#server.handleUpgrade(request, socket, head, (webSocket) => {
      const accepted = acceptSocket(webSocket, {
        deps: this.#deps,
        sockets: this.#sockets,
        admission,
        query,
        via: "service",
        maxBytes: query.has("sessionId") ? CREDIT_BYTES : SHARED_CREDIT_BYTES,
      });
      void serveService(accepted, this.#deps.service);
    });
  };

  /** Tells all clients that the host goes away. */
  [Symbol.dispose](): void {
    this.#sockets[Symbol.dispose]();
  }
}
