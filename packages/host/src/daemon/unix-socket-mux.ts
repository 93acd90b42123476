import type { Server as HttpServer } from "node:http";
import type { Socket } from "node:net";
import type { SocketHandler } from "../auth/server-guard.ts";

/** A client of the unix socket speaks first. */
const FIRST_BYTES_MS = 10_000;

/** JSON-RPC shows at the beginning of the first line. */
const MAX_HEAD_BYTES = 4096;

const OPENING_BRACE = "{".charCodeAt(0);
const LINE_FEED = "\n".charCodeAt(0);
const JSON_RPC = '"jsonrpc"';

export interface UnixSocketMuxOptions {
  /** Gets the socket with all bytes. */
  readonly serveJsonRpc: SocketHandler;
  /** Other lines of JSON. */
  readonly serveLines: SocketHandler;
  /** Everything else; does not listen itself. */
  readonly http: HttpServer;
  readonly firstBytesMs?: number;
}

type Protocol = "http" | "jsonRpc" | "lines";

/** The unix socket speaks three protocols; the first bytes tell which. */
export function unixSocketMux(options: UnixSocketMuxOptions): SocketHandler {
  const { serveJsonRpc, serveLines, http, firstBytesMs = FIRST_BYTES_MS } = options;
  return (socket, admission) => {
    awaitProtocol(socket, firstBytesMs, (language) => {
      if (language === "jsonRpc") serveJsonRpc(socket, admission);
      else if (language === "lines") serveLines(socket, admission);
      else http.emit("connection", socket);
    });
  };
}

/** Undefined while it could be several. */
function detectProtocol(head: Buffer): Protocol | undefined {
  if (head[0] !== OPENING_BRACE) return "http";
  const lineEnd = head.indexOf(LINE_FEED);
  const line = lineEnd < 0 ? head : head.subarray(0, lineEnd);
  if (line.includes(JSON_RPC)) return "jsonRpc";
  return lineEnd >= 0 || head.byteLength >= MAX_HEAD_BYTES ? "lines" : undefined;
}

/** Hands over a socket with its first bytes unread, or ends it when they do not come. */
function awaitProtocol(
  socket: Socket,
  maxMs: number,
  handOver: (language: Protocol) => void,
): void {
  let head: Buffer = Buffer.alloc(0);
  const giveUp = (): void => void socket.destroy();
  const handleReadable = (): void => {
    const chunk: unknown = socket.read();
    // The end arrives as `readable`, too, and as an event of its own.
    if (!Buffer.isBuffer(chunk)) return;
    head = Buffer.concat([head, chunk]);
    const language = detectProtocol(head);
    if (!language) return;
    socket.off("readable", handleReadable);
    socket.off("timeout", giveUp);
    socket.off("end", giveUp);
    socket.setTimeout(0);
    socket.unshift(head);
    handOver(language);
  };
  socket.setTimeout(maxMs);
  socket.on("timeout", giveUp);
  socket.on("end", giveUp);
  socket.on("readable", handleReadable);
}
