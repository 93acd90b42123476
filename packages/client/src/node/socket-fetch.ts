import { type Agent, type IncomingMessage, request as httpRequest } from "node:http";
import { pipeline, Readable } from "node:stream";
import type { ReadableStream as WebStream } from "node:stream/web";
import { NacreError } from "@nacre/contracts";
import type { Fetch } from "../http-wire.ts";

/** A streaming `fetch` over an agent, such as for a unix socket. */
export function socketFetch(agent: Agent): Fetch {
  const fetch: Fetch = (url, init) =>
    new Promise((resolve, reject) => {
      const { method = "GET", headers, body, signal } = init;
      const sent = bodyOf(body);
      const request = httpRequest(url, {
        agent,
        method,
        headers: { ...Object.fromEntries(new Headers(headers)), ...sent.headers },
        ...(signal ? { signal } : {}),
      });
      let isAnswered = false;
      request.on("error", (error) => {
        // Whoever reads the body gets the error.
        if (isAnswered) return;
        // The host closed an idle connection at this moment; a GET can be repeated.
        const isStale = request.reusedSocket && method === "GET" && !signal?.aborted;
        if (isStale) resolve(fetch(url, init));
        else reject(error);
      });
      request.on("response", (response) => {
        isAnswered = true;
        resolve(responseOf(response));
      });
      if (sent.stream === undefined) request.end(sent.text);
      // A failure on either side ends the request, which reports it unless it is answered already.
      else pipeline(Readable.fromWeb(sent.stream), request, () => undefined);
    });
  return fetch;
}

/** Text at once, bytes with backpressure. */
interface Body {
  readonly text?: string | undefined;
  readonly stream?: WebStream | undefined;
  readonly headers?: Readonly<Record<string, string>>;
}

function bodyOf(body: RequestInit["body"]): Body {
  if (body === undefined || body === null) return {};
  if (typeof body === "string") return { text: body };
  // The browser's and Node's web streams are one class here.
  if (body instanceof ReadableStream) return { stream: body as WebStream };
  if (body instanceof Blob) {
    return {
      stream: body.stream() as WebStream,
      headers: { "content-length": String(body.size) },
    };
  }
  throw new NacreError("unsupported", "only text, blobs and streams can be sent over a socket");
}

function responseOf(incoming: IncomingMessage): Response {
  const headers = new Headers();
  for (let at = 0; at + 1 < incoming.rawHeaders.length; at += 2) {
    headers.append(incoming.rawHeaders[at] ?? "", incoming.rawHeaders[at + 1] ?? "");
  }
  return new Response(Readable.toWeb(incoming), { status: incoming.statusCode ?? 500, headers });
}
