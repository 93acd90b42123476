import { once } from "node:events";
import { connect, type NetConnectOpts, type Socket } from "node:net";

/** What came back over a raw connection. */
export interface RawAnswer {
  readonly status: number;
  readonly head: string;
  readonly body: string;
}

/** Opens a connection and waits until it is there. */
export async function open(to: NetConnectOpts): Promise<Socket> {
  const socket = connect(to);
  socket.on("error", () => undefined);
  await once(socket, "connect");
  return socket;
}

/** Sends these bytes as they are and reads until the other side closes. */
export async function exchange(to: NetConnectOpts, text: string): Promise<RawAnswer> {
  const socket = await open(to);
  const chunks: Buffer[] = [];
  socket.on("data", (chunk: Buffer) => chunks.push(chunk));
  const closed = closeOf(socket);
  socket.write(text);
  await closed;
  return answerOf(Buffer.concat(chunks).toString("latin1"));
}

/** Waits until a connection is closed, in whatever way. */
export const closeOf = (socket: Socket): Promise<void> =>
  new Promise((resolve) => socket.once("close", () => resolve()));

/** Waits for the head of an answer, such as that of an upgrade, and leaves the connection open. */
export async function readHead(socket: Socket): Promise<string> {
  let head = "";
  while (!head.includes("\r\n\r\n")) {
    const [chunk]: unknown[] = await once(socket, "data");
    head += String(chunk);
  }
  return head;
}

/** The lines of a request with a header of one line each. */
export const requestOf = (line: string, headers: readonly string[], body = ""): string =>
  `${[`${line} HTTP/1.1`, ...headers].join("\r\n")}\r\n\r\n${body}`;

/** The headers that every WebSocket client sends. */
export const WEBSOCKET_HEADERS: readonly string[] = [
  "Connection: Upgrade",
  "Upgrade: websocket",
  "Sec-WebSocket-Version: 13",
  "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
];

function answerOf(text: string): RawAnswer {
  const at = text.indexOf("\r\n\r\n");
  const head = at < 0 ? text : text.slice(0, at);
  return { status: Number(head.split(" ")[1]), head, body: at < 0 ? "" : text.slice(at + 4) };
}
