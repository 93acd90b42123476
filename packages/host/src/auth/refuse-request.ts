import { type IncomingMessage, type ServerResponse, STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import { errorBodyOf, NacreError } from "@nacre/contracts";
import { hasBody, type Refusal } from "./check-request.ts";

/** Time to read the answer before the socket is destroyed. */
const READ_ANSWER_MS = 1000;

/** So much of a refused body is discarded, so that its sender reads the answer instead of ECONNRESET. */
const MAX_UNREAD_BYTES = 2 * 1024 * 1024;

/** Seconds. */
const RETRY_AFTER_SECONDS = "60";

const HEADERS = {
  "cache-control": "no-store",
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  connection: "close",
};

/** The same for every refusal of a status, whatever the reason. */
const MESSAGES: Readonly<Partial<Record<Refusal["status"], string>>> = {
  400: "the request is not one that is answered here",
  401: "no valid credential came with the request",
  415: "a body must have the content type application/json",
  429: "too many failures or connections",
};

interface RefusalResponse {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Ends the connection, whether or not the body was sent. */
export function refuseRequest(
  request: IncomingMessage,
  response: ServerResponse,
  refusal: Refusal,
): void {
  const { headers, body } = formatRefusal(refusal);
  response.writeHead(refusal.status, headers);
  const text = request.method === "HEAD" ? "" : body;
  if (!hasBody(request.rawHeaders) || request.headers.expect !== undefined) {
    response.end(text);
    return;
  }
  // Closing a socket with unread bytes sends RST, and the answer would be lost.
  response.flushHeaders();
  if (text !== "") response.write(text);
  destroyAfter(READ_ANSWER_MS, request.socket);
  let unreadBytes = 0;
  request.on("data", (chunk: Buffer) => {
    unreadBytes += chunk.byteLength;
    if (unreadBytes > MAX_UNREAD_BYTES) request.socket.destroy();
  });
  request.once("end", () => response.end());
}

/** In plain HTTP. */
export function refuseUpgrade(request: IncomingMessage, socket: Duplex, refusal: Refusal): void {
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  const { headers, body } = formatRefusal(refusal);
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const status = `HTTP/1.1 ${refusal.status} ${STATUS_CODES[refusal.status]}\r\n`;
  destroyAfter(READ_ANSWER_MS, socket);
  socket.once("end", () => socket.destroy());
  socket.resume();
  socket.end(`${status}${lines.join("")}\r\n${request.method === "HEAD" ? "" : body}`);
}

function destroyAfter(delayMs: number, socket: Duplex): void {
  const timer = setTimeout(() => socket.destroy(), delayMs);
  timer.unref();
  socket.once("close", () => clearTimeout(timer));
}

function formatRefusal({ status, code }: Refusal): RefusalResponse {
  const message = MESSAGES[status];
  // A foreign Host or Origin learns nothing, not even what we are.
  const body =
    message === undefined ? "" : `${JSON.stringify(errorBodyOf(new NacreError(code, message)))}\n`;
  return {
    body,
    headers: {
      ...HEADERS,
      ...(body === "" ? {} : { "content-type": "application/json; charset=utf-8" }),
      ...(status === 401 ? { "www-authenticate": "Bearer" } : {}),
      ...(status === 429 ? { "retry-after": RETRY_AFTER_SECONDS } : {}),
      "content-length": String(Buffer.byteLength(body)),
    },
  };
}
