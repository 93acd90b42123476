import { type WebSocket, WebSocketServer } from "ws";
import { isBearerProtocol } from "../auth/presented-credential.ts";
import { CLOSE_CODES, ClientSocket } from "./client-socket.ts";

/** Browsers and proxies fragment at some kilobytes. */
const MAX_FRAGMENTS = 1024;

/** A network splits the largest message into fewer chunks, and each costs memory beside its bytes. */
const MAX_BUFFERED_CHUNKS = 4096;

/** Ping interval. */
const HEARTBEAT_MS = 30_000;

export interface SocketsState {
  readonly sockets: number;
  readonly bufferedBytes: number;
}

/** The sockets of one transport: pinged, and closed when the host stops. */
export class ClientSockets implements Disposable {
  readonly #sockets = new Set<ClientSocket>();
  readonly #heartbeat: NodeJS.Timeout;
  readonly #stopCode: number;

  /** @param stopCode Close code when the host stops. */
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

  /** Paused until resumed. */
  add(webSocket: WebSocket, maxBytes: number): ClientSocket {
    const socket = new ClientSocket(webSocket, maxBytes);
    this.#sockets.add(socket);
    socket.onClose(() => this.#sockets.delete(socket));
    socket.pause();
    return socket;
  }

  [Symbol.dispose](): void {
    clearInterval(this.#heartbeat);
    for (const socket of this.#sockets) socket.close(this.#stopCode, "the host stops");
  }
}

/** Bounds what a client can make us hold. */
export function createWebSocketServer(maxPayload: number): WebSocketServer {
  return new WebSocketServer({
    noServer: true,
    clientTracking: false,
    maxPayload,
    maxFragments: MAX_FRAGMENTS,
    maxBufferedChunks: MAX_BUFFERED_CHUNKS,
    perMessageDeflate: false,
    // Pongs are sent and counted by us.
    autoPong: false,
    // A credential is not a protocol, and a browser requires one of its offers to be selected.
    handleProtocols: (offered) => [...offered].find((name) => !isBearerProtocol(name)) ?? false,
  });
}
