import { type IncomingMessage, type ServerResponse, STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import { errorBodyOf, NacreError } from "@nacre/contracts";
import { hasBody, type Refusal } from "./check-request.ts";

/** How long whoever was refused may take to read the answer before its socket is destroyed. */
const READ_ANSWER_MS = 1000;

/** So much of a refused body is thrown away, so that its sender reads the answer instead of a broken connection. */
const MAX_UNREAD_BYTES = 2 * 1024 * 1024;

/** When to try again after too many failures or connections, in seconds. */
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

/** What is said to whom may know that we are here; the same for every refusal of a status, whatever the reason. */
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

/** Answers a request that is refused and ends its connection, whether or not its body was sent. */
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
  // Ending now would close a socket with unread bytes, and the kernel then takes the answer back.
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

/** Answers an upgrade that is refused in plain HTTP and ends its connection. */
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
  // Who asks with a foreign name or from a foreign page learns nothing, not even what we are.
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
