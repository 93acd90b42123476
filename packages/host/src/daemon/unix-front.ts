import type { Server as HttpServer } from "node:http";
import type { Socket } from "node:net";
import type { HandleSocket } from "../auth/guard.ts";

/** Who connects over the unix socket says something at once. */
const FIRST_BYTE_MS = 10_000;

const OPENING_BRACE = "{".charCodeAt(0);

/** Who takes the connections of the unix socket. */
export interface UnixFrontOptions {
  /** Takes those that speak lines of JSON; nothing of what they said is lost. */
  readonly serveLines: HandleSocket;
  /** Takes all others, and does not listen itself. */
  readonly http: HttpServer;
  readonly firstByteMs?: number;
}

/** Makes what takes the connections of the unix socket, which has two languages: their first byte tells them apart. */
export function unixFront(options: UnixFrontOptions): HandleSocket {
  const { serveLines, http, firstByteMs = FIRST_BYTE_MS } = options;
  return (socket, admission) => {
    awaitFirstChunk(socket, firstByteMs, (chunk) => {
      if (chunk[0] === OPENING_BRACE) serveLines(socket, admission);
      else http.emit("connection", socket);
    });
  };
}

/** Hands over a socket with its first bytes still to be read, or ends it when none come. */
function awaitFirstChunk(socket: Socket, maxMs: number, handOver: (chunk: Buffer) => void): void {
  const giveUp = (): void => void socket.destroy();
  const handleReadable = (): void => {
    const chunk: unknown = socket.read();
    // The end is told in the same way, and comes as an event of its own.
    if (!Buffer.isBuffer(chunk)) return;
    socket.off("readable", handleReadable);
    socket.off("timeout", giveUp);
    socket.off("end", giveUp);
    socket.setTimeout(0);
    socket.unshift(chunk);
    handOver(chunk);
  };
  socket.setTimeout(maxMs);
  socket.on("timeout", giveUp);
  socket.on("end", giveUp);
  socket.on("readable", handleReadable);
}
