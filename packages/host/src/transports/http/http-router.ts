import type { IncomingMessage, ServerResponse } from "node:http";
import { NacreError } from "@nacre/contracts";
import { toNacreError } from "../../base/to-nacre-error.ts";
import type { AuthContext } from "../../auth/auth-context.ts";
import { splitTarget } from "../../auth/check-request.ts";
import type { Exchange, Route, RouterDeps, RouterOptions, RouteRow } from "./route.ts";
import { type RouteMatch, RouteMatcher } from "./route-matcher.ts";
import { RequestCounts } from "./metrics.ts";
import { errorReply, type HttpReply, sendReply } from "./reply.ts";
import { createRouteTable, routeNotFound } from "./route-table.ts";

/** Behind the guard. */
export interface HttpRouter extends Disposable {
  readonly routes: readonly RouteRow[];
  /** Never throws, and always answers. */
  handleRequest(
    request: IncomingMessage,
    response: ServerResponse,
    admission: AuthContext | undefined,
  ): void;
}

export function createHttpRouter(options: RouterOptions): HttpRouter {
  const counts = new RequestCounts();
  const parts: RouterDeps = {
    ...options,
    streams: {
      ...options.streams,
      handleBytes: (count) => counts.addBytes(count),
      handleOpen: (change) => counts.addStreams(change),
    },
  };
  const routes = createRouteTable(parts, counts);
  const router = new Router(parts, routes, counts);
  return {
    routes,
    handleRequest: (request, response, admission) =>
      void router.handle({ request, response, admission }),
    [Symbol.dispose]: () => counts[Symbol.dispose](),
  };
}

type IncomingExchange = Pick<Exchange, "request" | "response" | "admission">;

class Router {
  readonly #deps: RouterDeps;
  readonly #matcher: RouteMatcher<Route>;
  readonly #counts: RequestCounts;

  constructor(deps: RouterDeps, routes: readonly Route[], counts: RequestCounts) {
    this.#deps = deps;
    this.#matcher = new RouteMatcher(routes);
    this.#counts = counts;
  }

  async handle(arrived: IncomingExchange): Promise<void> {
    const { request, response } = arrived;
    // Writing to a client that just left is no failure; its signal tells.
    response.on("error", () => undefined);
    const { path, query } = splitTarget(request.url ?? "");
    let name = "unknown";
    try {
      const match = this.#matcher.match(request.method ?? "", path);
      if (match.kind === "found") name = match.route.name;
      const reply = await this.#answer(match, { ...arrived, path, query });
      if (reply !== undefined) this.#send(response, reply);
    } catch (error) {
      this.#fail(response, error);
    }
    this.#counts.addRequest(name, response.statusCode);
  }

  async #answer(
    match: RouteMatch<Route>,
    arrived: IncomingExchange & { readonly path: string; readonly query: string },
  ): Promise<HttpReply | undefined> {
    switch (match.kind) {
      case "found": {
        const { route, parameters } = match;
        // The guard checked already; a route must not depend on how its path was spelled there.
        if (route.access === "credential" && arrived.admission === undefined) {
          throw new NacreError("unauthenticated", "authentication required");
        }
        const signal = closeSignal(arrived.response);
        return await route.answer({ ...arrived, parameters, signal });
      }
      case "otherMethod":
        return errorReply(methodNotAllowed(match.allow), 405, { allow: match.allow.join(", ") });
      case "unknown":
        return errorReply(routeNotFound(arrived.request.method ?? "", arrived.path));
    }
  }

  #send(response: ServerResponse, reply: HttpReply): void {
    if (response.headersSent || response.destroyed) return;
    this.#counts.addBytes(sendReply(response, reply));
  }

  #fail(response: ServerResponse, error: unknown): void {
    const failure = toNacreError(error);
    // What no caller can act on, and a disk without room for a file of ours.
    if (!(error instanceof NacreError)) this.#deps.handleProblem(error);
    const headers = CLOSING_CODES.has(failure.code) ? { connection: "close" } : {};
    this.#send(response, errorReply(failure, undefined, headers));
  }
}

/** The rest of the body may still come, and nobody waits for it. */
const CLOSING_CODES: ReadonlySet<string> = new Set(["payload_too_large", "timeout"]);

/** Fires when the client is gone, or has its answer. */
function closeSignal(response: ServerResponse): AbortSignal {
  const gone = new AbortController();
  response.once("close", () => gone.abort());
  if (response.destroyed) gone.abort();
  return gone.signal;
}

const methodNotAllowed = (allow: readonly string[]): NacreError =>
  new NacreError("invalid_argument", "method not allowed for this path", {
    suggestion: `Use ${allow.join(" or ")}.`,
  });
