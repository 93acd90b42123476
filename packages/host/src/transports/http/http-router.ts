import type { IncomingMessage, ServerResponse } from "node:http";
import { NacreError } from "@nacre/contracts";
import type { Admission } from "../../auth/admission.ts";
import type { Exchange, Route, RouteRow } from "./exchange.ts";
import { type Match, RouteMatcher } from "./match-route.ts";
import { errorReply, type Reply, sendReply, toNacreError } from "./reply.ts";
import { RequestCounts } from "./request-counts.ts";
import { routeNotFound, routeTable } from "./route-table.ts";
import type { RouterOptions, RouterParts } from "./router-parts.ts";

/** Answers requests that the guard has let through. */
export interface HttpRouter extends Disposable {
  /** Every route there is, as data. */
  readonly routes: readonly RouteRow[];
  /** Answers one request; never throws, and never leaves a request without an answer. */
  handleRequest(
    request: IncomingMessage,
    response: ServerResponse,
    admission: Admission | undefined,
  ): void;
}

/** Makes the router from the tables. */
export function createHttpRouter(options: RouterOptions): HttpRouter {
  const counts = new RequestCounts();
  const parts: RouterParts = {
    ...options,
    streams: {
      ...options.streams,
      handleBytes: (count) => counts.addBytes(count),
      handleOpen: (change) => counts.addStreams(change),
    },
  };
  const routes = routeTable(parts, counts);
  const router = new Router(parts, routes, counts);
  return {
    routes,
    handleRequest: (request, response, admission) =>
      void router.handle({ request, response, admission }),
    [Symbol.dispose]: () => counts[Symbol.dispose](),
  };
}

type Arrived = Pick<Exchange, "request" | "response" | "admission">;

class Router {
  readonly #parts: RouterParts;
  readonly #matcher: RouteMatcher<Route>;
  readonly #counts: RequestCounts;

  constructor(parts: RouterParts, routes: readonly Route[], counts: RequestCounts) {
    this.#parts = parts;
    this.#matcher = new RouteMatcher(routes);
    this.#counts = counts;
  }

  async handle(arrived: Arrived): Promise<void> {
    const { request, response } = arrived;
    // Writing to a client that has just gone is no failure; that it is gone is told by its signal.
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
    match: Match<Route>,
    arrived: Arrived & { readonly path: string; readonly query: string },
  ): Promise<Reply | undefined> {
    switch (match.kind) {
      case "found": {
        const { route, parameters } = match;
        // The guard has looked already; a route must not depend on how its path was spelled there.
        if (route.access === "credential" && arrived.admission === undefined) {
          throw new NacreError("unauthenticated", "a credential is needed");
        }
        return await route.answer({ ...arrived, parameters, signal: goneSignal(arrived.response) });
      }
      case "otherMethod":
        return errorReply(otherMethod(match.allow), 405, { allow: match.allow.join(", ") });
      case "unknown":
        return errorReply(routeNotFound(arrived.request.method ?? "", arrived.path));
    }
  }

  #send(response: ServerResponse, reply: Reply): void {
    if (response.headersSent || response.destroyed) return;
    this.#counts.addBytes(sendReply(response, reply));
  }

  #fail(response: ServerResponse, error: unknown): void {
    const failure = toNacreError(error);
    if (failure.code === "internal") this.#parts.handleProblem(error);
    this.#send(response, errorReply(failure, undefined, ENDING.has(failure.code) ? CLOSE : {}));
  }
}

/** After these the rest of a body may still come, which nobody waits for. */
const ENDING: ReadonlySet<string> = new Set(["payload_too_large", "timeout"]);

const CLOSE = { connection: "close" };

/** Fires when the client is gone, or has its answer. */
function goneSignal(response: ServerResponse): AbortSignal {
  const gone = new AbortController();
  response.once("close", () => gone.abort());
  if (response.destroyed) gone.abort();
  return gone.signal;
}

function splitTarget(target: string): { readonly path: string; readonly query: string } {
  const mark = target.indexOf("?");
  return mark < 0
    ? { path: target, query: "" }
    : { path: target.slice(0, mark), query: target.slice(mark + 1) };
}

const otherMethod = (allow: readonly string[]): NacreError =>
  new NacreError("invalid_argument", "this address does not take this method", {
    suggestion: `Use ${allow.join(" or ")}.`,
  });
