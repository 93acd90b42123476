import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { TerminalId, type Via } from "@nacre/contracts";
import type { WebSocket } from "ws";
import type { AuthContext } from "../../auth/auth-context.ts";
import { type Refusal, splitTarget } from "../../auth/check-request.ts";
import { refuseUpgrade } from "../../auth/refuse-request.ts";
import { CLOSE_CODES, CREDIT_BYTES } from "../../socket/client-socket.ts";
import {
  ClientSockets,
  createWebSocketServer,
  type SocketsState,
} from "../../socket/client-sockets.ts";
import type { RawOperations } from "./attached-terminal.ts";
import { serveConnect } from "./connect-socket.ts";
import { serveService, type ServiceAccess } from "./service-socket.ts";
import type { SocketDeps } from "./socket-deps.ts";

/** Every path that can become a WebSocket here; a name in braces stands for one part of a path. */
export const UPGRADE_PATHS = [
  { path: "/api/terminals/{id}/connect", kind: "connect" },
  { path: "/api/terminal/ws", kind: "service" },
] as const;

/** What a request wants to become. */
type UpgradeTarget =
  | { readonly kind: "connect"; readonly id: TerminalId | undefined }
  | { readonly kind: "service" };

/** Finds what a request's target names, or nothing; an id that is none is left out. */
export function matchUpgradePath(path: string): UpgradeTarget | undefined {
  const parts = path.split("/");
  if (path === UPGRADE_PATHS[1].path) return { kind: "service" };
  const [, api, terminals, id = "", connect] = parts;
  const isConnect = api === "api" && terminals === "terminals" && connect === "connect";
  if (!isConnect || parts.length !== 5) return undefined;
  return { kind: "connect", id: TerminalId.safeParse(tryDecode(id)).data };
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

/** Clients of the terminal service may type as many characters at once, and JSON spells some of them longer. */
const MAX_SERVICE_MESSAGE_BYTES = 2 * MAX_MESSAGE_BYTES;

/** What may be under way through a socket that several sessions share. */
const SHARED_CREDIT_BYTES = 4 * CREDIT_BYTES;

const NO_SUCH_PATH: Refusal = { status: 404, code: "route_not_found", reason: "path" };

export interface RawUpgradesDeps {
  readonly operations: RawOperations;
  /** The terminal service, and who may use it. */
  readonly service: ServiceAccess;
  /** Something failed that no client can be told in full. */
  readonly handleProblem: (error: unknown) => void;
  readonly heartbeatMs?: number | undefined;
  /** For how long a viewer may keep us waiting before it is skipped forward. */
  readonly maxBehindMs?: number | undefined;
}

/** The WebSockets of a host. Requests are let in by somebody else before they come here. */
export class RawUpgrades implements Disposable {
  readonly paths = UPGRADE_PATHS;
  readonly #deps: RawUpgradesDeps;
  readonly #connect = createWebSocketServer(MAX_MESSAGE_BYTES);
  readonly #service = createWebSocketServer(MAX_SERVICE_MESSAGE_BYTES);
  readonly #sockets: ClientSockets;

  constructor(deps: RawUpgradesDeps) {
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
    const searchParams = new URLSearchParams(query);
    const target = matchUpgradePath(path);
    if (!target) {
      refuseUpgrade(request, socket, NO_SUCH_PATH);
      return;
    }
    const isConnect = target.kind === "connect";
    const server = isConnect ? this.#connect : this.#service;
    server.handleUpgrade(request, socket, head, (webSocket) => {
      const isShared = !isConnect && !searchParams.has("sessionId");
      const via = isConnect ? "raw" : "service";
      const parts = this.#begin(webSocket, { admission, query: searchParams, isShared, via });
      if (!isConnect) void serveService(parts, this.#deps.service);
      else if (target.id !== undefined) void serveConnect(parts, target.id);
      else parts.socket.refuse(CLOSE_CODES.notFound, "no terminal has such an id");
    });
  };

  /** Tells all clients that the host goes away. */
  [Symbol.dispose](): void {
    this.#sockets[Symbol.dispose]();
  }

  #begin(
    webSocket: WebSocket,
    how: {
      readonly admission: AuthContext;
      readonly query: URLSearchParams;
      readonly isShared: boolean;
      readonly via: Via;
    },
  ): SocketDeps {
    const { admission, query, isShared, via } = how;
    const socket = this.#sockets.add(webSocket, isShared ? SHARED_CREDIT_BYTES : CREDIT_BYTES);
    const { operations, handleProblem, maxBehindMs } = this.#deps;
    const { caller, peer } = admission;
    const context = { caller, via, peer, signal: socket.signal };
    operations.clientBack(caller);
    socket.onClose(() => operations.clientGone(caller));
    const { protocol } = webSocket;
    return { socket, operations, context, query, protocol, maxBehindMs, handleProblem };
  }
}

/** Makes the WebSockets of a host. */
export function createRawUpgrades(deps: RawUpgradesDeps): RawUpgrades {
  return new RawUpgrades(deps);
}
