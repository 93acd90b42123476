import { type WebSocket, WebSocketServer } from "ws";
import { isBearerProtocol } from "../auth/presented-credential.ts";
import { CLOSE_CODES, ClientSocket } from "./client-socket.ts";

/** Browsers and proxies cut messages into parts of some kilobytes; nobody has a reason for more parts than this. */
const MAX_FRAGMENTS = 1024;

/** What came of a message from the network at once; a network cuts the largest one into fewer, and each costs memory beside its bytes. */
const MAX_BUFFERED_CHUNKS = 4096;

/** How often clients are asked for a sign of life. */
const HEARTBEAT_MS = 30_000;

/** How much there is under way to all sockets. */
export interface SocketsState {
  readonly sockets: number;
  readonly bufferedBytes: number;
}

/** The sockets of one transport: all are asked for signs of life, and told when the host goes away. */
export class ClientSockets implements Disposable {
  readonly #sockets = new Set<ClientSocket>();
  readonly #heartbeat: NodeJS.Timeout;
  readonly #stopCode: number;

  /** @param stopCode What clients are told when the host goes away. */
  constructor(heartbeatMs = HEARTBEAT_MS, stopCode: number = CLOSE_CODES.stopping) {
    this.#stopCode = stopCode;
    this.#heartbeat = setInterval(() => {
      for (const socket of this.#sockets) socket.checkAlive();
    }, heartbeatMs);
    this.#heartbeat.unref();
  }

  get state(): SocketsState {
    let bufferedBytes = 0;
    for (const socket of this.#sockets) bufferedBytes += socket.bufferedBytes;
    return { sockets: this.#sockets.size, bufferedBytes };
  }

  /** Takes in a WebSocket; it reads nothing until it is resumed. */
  add(webSocket: WebSocket, maxBytes: number): ClientSocket {
    const socket = new ClientSocket(webSocket, maxBytes);
    this.#sockets.add(socket);
    socket.onClose(() => this.#sockets.delete(socket));
    socket.pause();
    return socket;
  }

  /** Tells all clients that the host goes away. */
  [Symbol.dispose](): void {
    clearInterval(this.#heartbeat);
    for (const socket of this.#sockets) socket.close(this.#stopCode, "the host stops");
  }
}

/** Makes WebSockets of requests that were let in, with bounds on what a client can make us hold. */
export function createWebSocketServer(maxPayload: number): WebSocketServer {
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
