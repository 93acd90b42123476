// Streamed transfers: nobody holds all bytes in memory.
import type { IncomingMessage } from "node:http";
import { MAX_IMPORT_BYTES, NacreError, TRANSFERS } from "@nacre/contracts";
import { importTooLarge } from "../../operations/transfers.ts";
import { createQueryDecoder } from "./decode-query.ts";
import { waitForDrain } from "./event-stream.ts";
import { type Exchange, requireCallContext, type Route, type RouterDeps } from "./route.ts";
import { createInputReader } from "./read-body.ts";
import { jsonReply, SECURITY_HEADERS, textReply } from "./reply.ts";

/** A recording is foreign content: should a browser show it after all, then sandboxed and without scripts. */
const EXPORT_POLICY = "sandbox; default-src 'none'; frame-ancestors 'none'";

export const transferRoutes = (deps: RouterDeps): readonly Route[] => [
  exportRoute(deps),
  importRoute(deps),
];

function exportRoute(deps: RouterDeps): Route {
  const { http, input, scopes } = TRANSFERS.exportRecording;
  const readInput = createInputReader(http.method, input);
  return {
    name: "exportRecording",
    ...http,
    access: "credential",
    scopes,
    mutates: false,
    answer: async (exchange) => {
      const context = requireCallContext(exchange);
      const asked = await readInput(exchange);
      using _counted = deps.openStream(context.caller.id);
      const found = await deps.operations.exportRecording(asked, context);
      const headers = {
        "content-type": found.mediaType,
        "content-disposition": `attachment; filename="${found.fileName}"`,
        "content-security-policy": EXPORT_POLICY,
      };
      if (exchange.request.method === "HEAD") return textReply(found.mediaType, "", headers);
      await sendPieces({ ...exchange, headers, pieces: found.pieces }, deps);
      return undefined;
    },
  };
}

/** Sends pieces no faster than they are taken. What fails before the first is answered as any failure; later, the answer breaks off, so that nobody takes a part for the whole. */
async function sendPieces(
  {
    response,
    signal,
    headers,
    pieces,
  }: Exchange & { headers: Record<string, string>; pieces: AsyncGenerator<Uint8Array> },
  { streams }: RouterDeps,
): Promise<void> {
  try {
    let next = await pieces.next();
    response.writeHead(200, { ...SECURITY_HEADERS, ...headers });
    for (; next.done !== true && !signal.aborted; next = await pieces.next()) {
      streams.handleBytes?.(next.value.byteLength);
      if (!response.write(next.value)) await waitForDrain(response, signal, streams.stallMs);
    }
    response.end();
  } catch (error) {
    if (response.headersSent) response.destroy();
    throw error;
  } finally {
    await pieces.return(undefined);
  }
}

function importRoute(deps: RouterDeps): Route {
  const { http, input, scopes } = TRANSFERS.importRecording;
  const decode = createQueryDecoder(input);
  return {
    name: "importRecording",
    ...http,
    access: "credential",
    scopes,
    mutates: true,
    answer: async (exchange) => {
      const { request, query } = exchange;
      const context = requireCallContext(exchange);
      const asked = decode(query);
      using _counted = deps.openStream(context.caller.id);
      const pieces = readPieces(request);
      const output = await deps.operations.importRecording(asked, pieces, context);
      return jsonReply(http.status, output);
    },
  };
}

/** Reports a connection that ends within the body. */
async function* readPieces(request: IncomingMessage): AsyncGenerator<Uint8Array> {
  if (Number(request.headers["content-length"] ?? 0) > MAX_IMPORT_BYTES) throw importTooLarge();
  if ((request.headers["content-encoding"] ?? "identity") !== "identity") {
    throw new NacreError("invalid_argument", "the body is compressed");
  }
  try {
    // A refusal halfway is answered over the same connection.
    for await (const chunk of request.iterator({ destroyOnReturn: false })) yield toBytes(chunk);
  } catch (cause) {
    throw new NacreError("unavailable", "the connection ended within the body", { cause });
  }
}

/** Requests are read without an encoding, so chunks are bytes. */
function toBytes(chunk: unknown): Uint8Array {
  if (chunk instanceof Uint8Array) return chunk;
  throw new TypeError("a request was read as text");
}
