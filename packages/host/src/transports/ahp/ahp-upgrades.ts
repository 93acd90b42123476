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

/** WebSockets of the Agent Host Protocol; requests are admitted before they come here. */
export class AhpUpgrades implements Disposable {
  /** Many clients only know the root path. */
  readonly paths = AGENT_HOST_PATHS;
  readonly #deps: AhpUpgradesDeps;
  readonly #server = createWebSocketServer(MAX_MESSAGE_BYTES);
  readonly #sockets: ClientSockets;

  constructor(deps: AhpUpgradesDeps) {
    this.#deps = deps;
    // Clients take any other code for a failure and discard unread messages.
    this.#sockets = new ClientSockets(deps.heartbeatMs, CLOSE_CODES.ended);
  }

  get state(): SocketsState {
    return this.#sockets.state;
  }

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

  [Symbol.dispose](): void {
    this.#sockets[Symbol.dispose]();
  }
}

/** The text frames of a WebSocket as a wire. */
function socketWire(socket: ClientSocket): Wire {
  return {
    send: (frame, handleSent) => {
      // Thousands of queued frames would each be refused by themselves.
      if (socket.isOpen) socket.sendText(frame, handleSent);
      else handleSent();
    },
    // A paused socket would not receive the client's close frame.
    close: (code, reason) => socket.refuse(code, reason),
    onMessage: (handle) =>
      socket.onMessage((bytes, isText) =>
        handle(isText ? { kind: "text", bytes } : { kind: "binary" }),
      ),
    // A WebSocket closes both directions at once.
    onEnd: () => undefined,
    onClose: (handle) => void socket.onClose(handle),
    pause: () => socket.pause(),
    resume: () => socket.resume(),
  };
}
