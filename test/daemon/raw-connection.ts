// Connections made byte by byte, for what no library would send.
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import {
  readHead,
  requestOf,
  WEBSOCKET_HEADERS,
} from "../../packages/host/src/auth/testing/raw-http.ts";
import type { DaemonProcess } from "../support/daemon-process.ts";

/** Opens a connection that nothing was sent over yet. */
export async function openConnection({ port }: DaemonProcess): Promise<Socket> {
  const socket = connect({ port, host: "127.0.0.1" });
  socket.on("error", () => undefined);
  await once(socket, "connect");
  return socket;
}

const headersOf = ({ port, token }: DaemonProcess): readonly string[] => [
  `Host: 127.0.0.1:${port}`,
  `Authorization: Bearer ${token}`,
];

/** Opens a WebSocket; the socket is paused behind the head of the answer. */
export async function openWebSocket(daemon: DaemonProcess, path: string): Promise<Socket> {
  const headers = [...headersOf(daemon), ...WEBSOCKET_HEADERS];
  return await answered(daemon, requestOf(`GET ${path}`, headers), "101 ");
}

/** Opens an event stream; the socket is paused behind the head of the answer. */
export async function openStream(daemon: DaemonProcess, path: string): Promise<Socket> {
  return await answered(daemon, requestOf(`GET ${path}`, headersOf(daemon)), "200 ");
}

async function answered(daemon: DaemonProcess, text: string, status: string): Promise<Socket> {
  const socket = await openConnection(daemon);
  socket.write(text);
  const head = await readHead(socket);
  socket.pause();
  if (head.startsWith(`HTTP/1.1 ${status}`)) return socket;
  throw new Error(`${text.split("\r\n", 1)[0]}: ${head}`);
}
