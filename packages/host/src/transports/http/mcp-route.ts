// The MCP endpoint: checked like any route, answered by the MCP server.
import type { IncomingMessage } from "node:http";
import { ERRORS, NacreError, Scope } from "@nacre/contracts";
import { type Exchange, requireCallContext, type Route, type RouterDeps } from "./route.ts";
import { readJsonBody } from "./read-body.ts";
import { waitForDrain } from "./event-stream.ts";
import { SECURITY_HEADERS } from "./reply.ts";

/** Hop-by-hop headers, and the credential. */
const HOP_BY_HOP_HEADERS: ReadonlySet<string> = new Set([
  "authorization",
  "connection",
  "content-length",
  "host",
  "transfer-encoding",
]);

const STREAM_TYPE = "text/event-stream";

/** One message per request; the answer may be a stream. */
export const mcpRoute = (deps: RouterDeps): Route => ({
  name: "mcp",
  method: "POST",
  path: "/mcp",
  access: "credential",
  scopes: Scope.options,
  // The operations behind the tools authorise.
  mutates: true,
  answer: async (exchange) => {
    const context = requireCallContext(exchange, "mcp");
    const body = await readMessage(exchange.request);
    if (body instanceof Response) {
      await sendWebResponse(body, exchange, deps);
      return undefined;
    }
    // Any answer may become a stream and is counted first. Messages without an answer, such as a cancellation, must
    // come through when all are taken.
    using _stream = expectsResponse(body) ? deps.openStream(context.caller.id) : undefined;
    const answer = await deps.mcp.answer(toWebRequest(exchange), body, context);
    await sendWebResponse(answer, exchange, deps);
    return undefined;
  },
});

/** JSON-RPC. */
const [PARSE_ERROR, INVALID_REQUEST] = [-32_700, -32_600];

/** Or the JSON-RPC error for it. */
async function readMessage(request: IncomingMessage): Promise<object | Response> {
  try {
    const body = await readJsonBody(request);
    if (typeof body === "object" && body !== null && !Array.isArray(body)) return body;
    const what = Array.isArray(body) ? "batches are not served" : "it is no object";
    const message = `${what}: send each message by itself, as an object`;
    return rpcError(ERRORS.invalid_argument.httpStatus, { code: INVALID_REQUEST, message });
  } catch (error) {
    if (!(error instanceof NacreError)) throw error;
    const { code, message } = error;
    const isParse = code === "invalid_argument";
    if (!isParse && code !== "payload_too_large") throw error;
    const rpcCode = isParse ? PARSE_ERROR : INVALID_REQUEST;
    return rpcError(ERRORS[code].httpStatus, { code: rpcCode, message });
  }
}

const rpcError = (status: number, error: { code: number; message: string }): Response =>
  Response.json({ jsonrpc: "2.0", id: null, error }, { status });

/** Requests have an id. */
const expectsResponse = (body: unknown): boolean =>
  typeof body !== "object" || body === null || "id" in body;

function toWebRequest({ request, signal }: Exchange): Request {
  // Who does not say takes whatever comes.
  const headers = new Headers({ accept: `application/json, ${STREAM_TYPE}` });
  for (const [name, value] of Object.entries(request.headers)) {
    const isAnything = name === "accept" && value === "*/*";
    if (typeof value === "string" && !isAnything && !HOP_BY_HOP_HEADERS.has(name))
      headers.set(name, value);
  }
  return new Request("http://localhost/mcp", { method: "POST", headers, signal });
}

/** With backpressure. */
async function sendWebResponse(
  { status, headers, body }: Response,
  { response, signal }: Exchange,
  { streams }: RouterDeps,
): Promise<void> {
  response.writeHead(status, { ...Object.fromEntries(headers), ...SECURITY_HEADERS });
  response.flushHeaders();
  if (body) {
    for await (const chunk of body) {
      if (signal.aborted) break;
      streams.handleBytes?.(chunk.byteLength);
      if (!response.write(chunk)) await waitForDrain(response, signal);
    }
  }
  response.end();
}
