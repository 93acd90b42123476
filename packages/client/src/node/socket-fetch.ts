import { type Agent, type IncomingMessage, request as httpRequest } from "node:http";
import { Readable } from "node:stream";
import { NacreError } from "@nacre/contracts";
import type { Fetch } from "../http-wire.ts";

/** Makes a `fetch` over the connections of an agent, such as those to a unix socket; bodies come as they are sent. */
export function socketFetch(agent: Agent): Fetch {
  const fetch: Fetch = (url, init) =>
    new Promise((resolve, reject) => {
      const { method = "GET", headers, body, signal } = init;
      if (body !== undefined && body !== null && typeof body !== "string") {
        throw new NacreError("unsupported", "only text can be sent over a socket");
      }
      const request = httpRequest(url, {
        agent,
        method,
        headers: Object.fromEntries(new Headers(headers)),
        ...(signal ? { signal } : {}),
      });
      let isAnswered = false;
      request.on("error", (error) => {
        // Who reads the body of an answer is told there that it broke.
        if (isAnswered) return;
        // The host closed a kept connection at this very moment; asking again changes nothing there.
        const isStale = request.reusedSocket && method === "GET" && !signal?.aborted;
        if (isStale) resolve(fetch(url, init));
        else reject(error);
      });
      request.on("response", (response) => {
        isAnswered = true;
        resolve(responseOf(response));
      });
      request.end(body ?? undefined);
    });
  return fetch;
}

function responseOf(incoming: IncomingMessage): Response {
  const headers = new Headers();
  for (let at = 0; at + 1 < incoming.rawHeaders.length; at += 2) {
    headers.append(incoming.rawHeaders[at] ?? "", incoming.rawHeaders[at + 1] ?? "");
  }
  return new Response(Readable.toWeb(incoming), { status: incoming.statusCode ?? 500, headers });
}
