import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import type { AuthContext } from "../../auth/auth-context.ts";
import { AGENT_HOST_PATHS } from "../../auth/presented-credential.ts";
import { type ClientSocket, CLOSE_CODES } from "../../socket/client-socket.ts";
import {
  ClientSockets,
  createWebSocketServer,
  type SocketsState,
} from "../../socket/client-sockets.ts";
import { AhpConnection, type AhpConnectionDeps } from "./connection/ahp-connection.ts";
import { CONNECTION_LIMITS, MAX_MESSAGE_BYTES } from "./connection/connection-limits.ts";
import type { Wire } from "./connection/wire.ts";

export interface AhpUpgradesDeps extends Omit<AhpConnectionDeps, "wire" | "admission"> {
  readonly heartbeatMs?: number | undefined;
}

/** The WebSockets of the Agent Host Protocol. Requests are let in by somebody else before they come here. */
export class AhpUpgrades implements Disposable {
  /** Many clients only know the root. */
  readonly paths = AGENT_HOST_PATHS;
  readonly #deps: AhpUpgradesDeps;
  readonly #server = createWebSocketServer(MAX_MESSAGE_BYTES);
  readonly #sockets: ClientSockets;

  constructor(deps: AhpUpgradesDeps) {
    this.#deps = deps;
    // Clients take any other code for a failure, and throw away what they have not read yet.
    this.#sockets = new ClientSockets(deps.heartbeatMs, CLOSE_CODES.ended);
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
    this.#server.handleUpgrade(request, socket, head, (webSocket) => {
      const client = this.#sockets.add(webSocket, CONNECTION_LIMITS.inFlightBytes);
      new AhpConnection({ ...this.#deps, wire: socketWire(client), admission });
    });
  };

  /** Tells all clients that the host goes away. */
  [Symbol.dispose](): void {
    this.#sockets[Symbol.dispose]();
  }
}

/** The text frames of a WebSocket as a wire. */
function socketWire(socket: ClientSocket): Wire {
  return {
    send: (frame, handleSent) => {
      // Of thousands of frames that wait when the client goes, each would be refused by itself.
      if (socket.isOpen) socket.sendText(frame, handleSent);
      else handleSent();
    },
    // It may be paused, and then would not hear that the client agrees.
    close: (code, reason) => socket.refuse(code, reason),
    onMessage: (handle) =>
      socket.onMessage((bytes, isText) =>
        handle(isText ? { kind: "text", bytes } : { kind: "binary" }),
      ),
    // A WebSocket that ends is closed in both directions.
    onEnd: () => undefined,
    onClose: (handle) => void socket.onClose(handle),
    pause: () => socket.pause(),
    resume: () => socket.resume(),
  };
}
