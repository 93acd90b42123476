import {
  NacreError,
  type Operation,
  type OperationName,
  OPERATIONS,
  parse,
  type Subscription,
  type SubscriptionName,
  SUBSCRIPTIONS,
} from "@nacre/contracts";
import { requireScope } from "../../auth/auth-context.ts";
import { PROOF_PATH, ProofInput } from "../../auth/proof.ts";
import { type Exchange, requireCallContext, type Route, type RouterDeps } from "./route.ts";
import { followEvents, followTerminal } from "./follow-events.ts";
import { mcpRoute } from "./mcp-route.ts";
import { formatMetrics, METRICS_TYPE, type RequestCounts } from "./metrics.ts";
import { loadPage } from "./page.ts";
import { createInputReader, readBody } from "./read-body.ts";
import { docsReply, openApiReply } from "./reference.ts";
import { type HttpReply, jsonReply, textReply } from "./reply.ts";
import { sessionRoutes } from "./sessions/session-routes.ts";
import { transferRoutes } from "./transfer-routes.ts";

// Routes beside the operations: for people, for monitoring, and for clients that do not trust us yet.

/** Not agents: they know only their own terminals. */
const METRICS_SCOPES = ["operator", "readOnly"] as const;

const PUBLIC_GET = { method: "GET", access: "public", scopes: [], mutates: false } as const;

/** Beside the tables and the terminal service. */
function builtInRoutes(deps: RouterDeps, counts: RequestCounts): readonly Route[] {
  return [
    ...loadPage().map(({ path, reply }): Route => ({
      ...PUBLIC_GET,
      name: "page",
      path,
      answer: () => reply,
    })),
    {
      ...PUBLIC_GET,
      name: "healthz",
      path: "/healthz",
      answer: () => jsonReply(200, { ok: true }),
    },
    { ...PUBLIC_GET, name: "docs", path: "/docs", answer: () => docsReply() },
    { ...PUBLIC_GET, name: "openapi", path: "/openapi.json", answer: () => openApiReply() },
    {
      ...PUBLIC_GET,
      name: "proof",
      method: "POST",
      path: PROOF_PATH,
      answer: async ({ request }) => {
        const input = parse(ProofInput, await readBody(request));
        return jsonReply(200, deps.prover.prove(input, request.headers.host ?? ""));
      },
    },
    mcpRoute(deps),
    {
      name: "metrics",
      method: "GET",
      path: "/metrics",
      access: "credential",
      scopes: METRICS_SCOPES,
      mutates: false,
      answer: async (exchange) => {
        const context = requireCallContext(exchange);
        requireScope(METRICS_SCOPES, context.caller, "metrics");
        const host = await deps.operations.call("readHost", {}, context);
        const memory = process.memoryUsage();
        return textReply(
          METRICS_TYPE,
          formatMetrics({ host, source: deps.metrics, counts, memory }),
        );
      },
    },
  ];
}

/** One per operation, subscription and transfer, and our own. */
export function createRouteTable(deps: RouterDeps, counts: RequestCounts): readonly Route[] {
  return [
    ...operationNames().map((name) => operationRoute(name, deps)),
    ...subscriptionNames().map((name) => subscriptionRoute(name, deps)),
    ...transferRoutes(deps),
    ...builtInRoutes(deps, counts),
    ...sessionRoutes(deps),
  ];
}

const isOperation = (name: string): name is OperationName => Object.hasOwn(OPERATIONS, name);

const operationNames = (): OperationName[] => Object.keys(OPERATIONS).filter(isOperation);

const isSubscription = (name: string): name is SubscriptionName =>
  Object.hasOwn(SUBSCRIPTIONS, name);

const subscriptionNames = (): SubscriptionName[] =>
  Object.keys(SUBSCRIPTIONS).filter(isSubscription);

function operationRoute(name: OperationName, { operations }: RouterDeps): Route {
  const { http, input, scopes, mutates }: Operation = OPERATIONS[name];
  const readInput = createInputReader(http.method, input);
  return {
    name,
    method: http.method,
    path: http.path,
    access: "credential",
    scopes,
    mutates,
    answer: async (exchange) => {
      const context = requireCallContext(exchange);
      const output = await operations.call(name, await readInput(exchange), context);
      return jsonReply(http.status, output);
    },
  };
}

function subscriptionRoute(name: SubscriptionName, deps: RouterDeps): Route {
  const { http, scopes }: Subscription = SUBSCRIPTIONS[name];
  return {
    name,
    method: http.method,
    path: http.path,
    access: "credential",
    scopes,
    mutates: false,
    answer: async (exchange) => await follow(name, exchange, deps),
  };
}

function follow(
  name: SubscriptionName,
  exchange: Exchange,
  deps: RouterDeps,
): Promise<HttpReply | undefined> {
  switch (name) {
    case "terminalFeed":
      return followTerminal(exchange, deps);
    case "entityEvents":
      return followEvents(exchange, deps);
  }
}

/** Clients print the message, so a longer path is cut. */
const MAX_QUOTED_PATH_LENGTH = 200;

export const routeNotFound = (method: string, path: string): NacreError =>
  new NacreError("route_not_found", `no route ${method} ${path.slice(0, MAX_QUOTED_PATH_LENGTH)}`, {
    suggestion: "See /docs for all routes.",
  });
