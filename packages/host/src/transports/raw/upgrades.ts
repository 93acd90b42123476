import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import type { Via } from "@nacre/contracts";
import { type WebSocket, WebSocketServer } from "ws";
import type { Admission } from "../../auth/admission.ts";
import { type Refusal, splitTarget } from "../../auth/gate.ts";
import { isBearerProtocol } from "../../auth/presented.ts";
import { refuseUpgrade } from "../../auth/refuse.ts";
import type { RawOperations } from "./attached-terminal.ts";
import { serveConnect } from "./connect-socket.ts";
import { CREDIT_BYTES } from "./outlet.ts";
import { CLOSE_CODES, RawSocket } from "./raw-socket.ts";
import { type ServiceAccess, serveService } from "./service-socket.ts";
import type { SocketParts } from "./socket-parts.ts";
import { UPGRADE_PATHS, upgradeTargetOf } from "./upgrade-path.ts";

/** One message of a client. */
const MAX_MESSAGE_BYTES = 1024 * 1024;

/** Clients of the terminal service may type as many characters at once, and JSON spells some of them longer. */
const MAX_SERVICE_MESSAGE_BYTES = 2 * MAX_MESSAGE_BYTES;

/** Browsers and proxies cut messages into parts of some kilobytes; nobody has a reason for more parts than this. */
const MAX_FRAGMENTS = 1024;

/** What came of a message from the network at once; a network cuts the largest one into fewer, and each costs memory beside its bytes. */
const MAX_BUFFERED_CHUNKS = 4096;

/** What may be under way through a socket that several sessions share. */
const SHARED_CREDIT_BYTES = 4 * CREDIT_BYTES;

const NO_SUCH_PATH: Refusal = { status: 404, code: "unsupported", reason: "path" };

/** How often clients are asked for a sign of life. */
const HEARTBEAT_MS = 30_000;

/** What the sockets are served with. */
export interface UpgradesParts {
  readonly operations: RawOperations;
  /** The terminal service, and who may use it. */
  readonly service: ServiceAccess;
  /** Something failed that no client can be told in full. */
  readonly handleProblem: (error: unknown) => void;
  readonly heartbeatMs?: number | undefined;
  /** For how long a viewer may keep us waiting before it is skipped forward. */
  readonly maxBehindMs?: number | undefined;
}

/** How much there is under way to all sockets. */
export interface UpgradesState {
  readonly sockets: number;
  readonly bufferedBytes: number;
}

/** The WebSockets of a host. Requests are let in by somebody else before they come here. */
export class Upgrades implements Disposable {
  readonly paths = UPGRADE_PATHS;
  readonly #parts: UpgradesParts;
  readonly #connect = webSockets(MAX_MESSAGE_BYTES);
  readonly #service = webSockets(MAX_SERVICE_MESSAGE_BYTES);
  readonly #sockets = new Set<RawSocket>();
  readonly #heartbeat: NodeJS.Timeout;

  constructor(parts: UpgradesParts) {
    this.#parts = parts;
    this.#heartbeat = setInterval(() => {
      for (const socket of this.#sockets) socket.beat();
    }, parts.heartbeatMs ?? HEARTBEAT_MS);
    this.#heartbeat.unref();
  }

  get state(): UpgradesState {
    let bufferedBytes = 0;
    for (const socket of this.#sockets) bufferedBytes += socket.bufferedBytes;
    return { sockets: this.#sockets.size, bufferedBytes };
  }

  /** Makes a WebSocket of a request that was let in; one for another path is answered with 404. */
  readonly handleUpgrade = (
    request: IncomingMessage,
    socket: Duplex,
    head: Buffer,
    admission: Admission,
  ): void => {
    const { path, query } = splitTarget(request.url ?? "");
    const searchParams = new URLSearchParams(query);
    const target = upgradeTargetOf(path);
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
      if (!isConnect) void serveService(parts, this.#parts.service);
      else if (target.id !== undefined) void serveConnect(parts, target.id);
      else parts.socket.refuse(CLOSE_CODES.notFound, "no terminal has such an id");
    });
  };

  /** Tells all clients that the host goes away. */
  [Symbol.dispose](): void {
    clearInterval(this.#heartbeat);
    for (const socket of this.#sockets) socket.close(CLOSE_CODES.stopping, "the host stops");
  }

  #begin(
    webSocket: WebSocket,
    how: {
      readonly admission: Admission;
      readonly query: URLSearchParams;
      readonly isShared: boolean;
      readonly via: Via;
    },
  ): SocketParts {
    const { admission, query, isShared, via } = how;
    const socket = new RawSocket(webSocket, isShared ? SHARED_CREDIT_BYTES : CREDIT_BYTES);
    this.#sockets.add(socket);
    socket.onClose(() => this.#sockets.delete(socket));
    socket.pause();
    const { operations, handleProblem, maxBehindMs } = this.#parts;
    const { caller, peer } = admission;
    const context = { caller, via, peer, signal: socket.signal };
    operations.clientBack(caller);
    socket.onClose(() => operations.clientGone(caller));
    const { protocol } = webSocket;
    return { socket, operations, context, query, protocol, maxBehindMs, handleProblem };
  }
}

/** Makes the WebSockets of a host. */
export function createUpgrades(parts: UpgradesParts): Upgrades {
  return new Upgrades(parts);
}

function webSockets(maxPayload: number): WebSocketServer {
  return new WebSocketServer({
    noServer: true,
    clientTracking: false,
    maxPayload,
    maxFragments: MAX_FRAGMENTS,
    maxBufferedChunks: MAX_BUFFERED_CHUNKS,
    perMessageDeflate: false,
    // Answered by us, who count them.
    autoPong: false,
    // A credential is no protocol, and a browser wants one of those that it offered to be chosen.
    handleProtocols: (offered) => [...offered].find((name) => !isBearerProtocol(name)) ?? false,
  });
}
