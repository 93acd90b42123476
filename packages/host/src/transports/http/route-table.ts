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
import { requireCallContext, type Route, type RouterDeps } from "./route.ts";
import { followEvents, followTerminal } from "./follow-events.ts";
import { mcpRoute } from "./mcp-route.ts";
import { formatMetrics, METRICS_TYPE, type RequestCounts } from "./metrics.ts";
import { loadPage } from "./page.ts";
import { createInputReader, readBody } from "./read-body.ts";
import { docsReply, openApiReply } from "./reference.ts";
import { jsonReply, textReply } from "./reply.ts";
import { transferRoutes } from "./transfer-routes.ts";

// Routes beside the operations: for people, for monitoring, and for clients that do not trust us yet.

/** Not agents: they know only their own terminals. */
const METRICS_SCOPES = ["operator", "readOnly"] as const;

const PUBLIC_GET = { method: "GET", access: "public", scopes: [], mutates: false } as const;

/** All routes of our own that the tables do not have. */
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
        const text = formatMetrics({ host, source: deps.metrics, counts, memory });
        return textReply(METRICS_TYPE, text);
      },
    },
  ];
}

/** Every route there is: one per operation, subscription and transfer of the tables, our own, and those of other transports. */
export function createRouteTable(deps: RouterDeps, counts: RequestCounts): readonly Route[] {
  return [
    ...operationNames().map((name) => operationRoute(name, deps)),
    ...subscriptionNames().map((name) => subscriptionRoute(name, deps)),
    ...transferRoutes(deps),
    ...builtInRoutes(deps, counts),
    ...deps.foreignRoutes,
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

const FOLLOWERS = { terminalFeed: followTerminal, entityEvents: followEvents };

function subscriptionRoute(name: SubscriptionName, deps: RouterDeps): Route {
  const { http, scopes }: Subscription = SUBSCRIPTIONS[name];
  return {
    name,
    method: http.method,
    path: http.path,
    access: "credential",
    scopes,
    mutates: false,
    answer: (exchange) => FOLLOWERS[name](exchange, deps),
  };
}

/** A longer path is cut in the message: clients print it. */
const MAX_QUOTED_PATH_LENGTH = 200;

export const routeNotFound = (method: string, path: string): NacreError =>
  new NacreError("route_not_found", `no route ${method} ${path.slice(0, MAX_QUOTED_PATH_LENGTH)}`, {
    suggestion: "See /docs for all routes.",
  });
