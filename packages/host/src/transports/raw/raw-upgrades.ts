import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { TerminalId } from "@nacre/contracts";
import type { AuthContext } from "../../auth/auth-context.ts";
import { type Refusal, splitTarget } from "../../auth/check-request.ts";
import { refuseUpgrade } from "../../auth/refuse-request.ts";
import { CLOSE_CODES, CREDIT_BYTES } from "../../socket/client-socket.ts";
import {
  ClientSockets,
  createWebSocketServer,
  type SocketsState,
} from "../../socket/client-sockets.ts";
import { serveConnect } from "./connect-socket.ts";
import { acceptSocket, type UpgradesDeps } from "./socket-deps.ts";

/** The path that can become a WebSocket here; the name in braces stands for one part of it. */
export const CONNECT_PATH = "/api/terminals/{id}/connect";

/** Finds the terminal that a request's path names, or nothing; an id that is none is left out. */
export function matchConnectPath(
  path: string,
): { readonly id: TerminalId | undefined } | undefined {
  const parts = path.split("/");
  const [, api, terminals, id = "", connect] = parts;
  const isConnect = api === "api" && terminals === "terminals" && connect === "connect";
  if (!isConnect || parts.length !== 5) return undefined;
  return { id: TerminalId.safeParse(tryDecode(id)).data };
}

function tryDecode(part: string): string | undefined {
  try {
    return decodeURIComponent(part);
  } catch {
    // What is no text names nothing.
    return undefined;
  }
}

/** One message of a client. */
const MAX_MESSAGE_BYTES = 1024 * 1024;

const NO_SUCH_PATH: Refusal = { status: 404, code: "route_not_found", reason: "path" };

/** The WebSockets of terminals. Requests are let in by somebody else before they come here. */
export class RawUpgrades implements Disposable {
  readonly #deps: UpgradesDeps;
  readonly #server = createWebSocketServer(MAX_MESSAGE_BYTES);
  readonly #sockets: ClientSockets;

  constructor(deps: UpgradesDeps) {
    this.#deps = deps;
    this.#sockets = new ClientSockets(deps.heartbeatMs);
  }

  get state(): SocketsState {
    return this.#sockets.state;
  }

  /** Makes a WebSocket of a request that was let in; one for another path is answered with 404. */
  readonly handleUpgrade = (
    request: IncomingMessage,
    socket: Duplex,
    head: Buffer,
    admission: AuthContext,
  ): void => {
    const { path, query } = splitTarget(request.url ?? "");
    const target = matchConnectPath(path);
    if (!target) {
      refuseUpgrade(request, socket, NO_SUCH_PATH);
      return;
    }
    this.#server.handleUpgrade(request, socket, head, (webSocket) => {
      const accepted = acceptSocket(webSocket, {
        deps: this.#deps,
        sockets: this.#sockets,
        admission,
        query: new URLSearchParams(query),
        via: "raw",
        maxBytes: CREDIT_BYTES,
      });
      if (target.id !== undefined) void serveConnect(accepted, target.id);
      else accepted.socket.refuse(CLOSE_CODES.notFound, "no terminal has such an id");
    });
  };

  /** Tells all clients that the host goes away. */
  [Symbol.dispose](): void {
    this.#sockets[Symbol.dispose]();
  }
}

/** Makes the WebSockets of terminals. */
export function createRawUpgrades(deps: UpgradesDeps): RawUpgrades {
  return new RawUpgrades(deps);
}
