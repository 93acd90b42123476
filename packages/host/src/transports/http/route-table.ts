import {
  NacreError,
  type Operation,
  type OperationName,
  OPERATIONS,
  type Subscription,
  SUBSCRIPTIONS,
  type SubscriptionName,
} from "@nacre/contracts";
import { requireCallContext, type Exchange, type Route } from "./exchange.ts";
import { followEvents } from "./follow-events.ts";
import { followTerminal } from "./follow-terminal.ts";
import { builtInRoutes } from "./own-routes.ts";
import { jsonReply, type HttpReply } from "./reply.ts";
import type { RequestCounts } from "./request-counts.ts";
import { createInputReader } from "./request-input.ts";
import type { RouterDeps } from "./router-parts.ts";
import { transferRoutes } from "./transfer-routes.ts";
import { sessionRoutes } from "./sessions/session-routes.ts";

/** Every route there is: one per operation, subscription and transfer of the tables, and our own. */
export function createRouteTable(parts: RouterDeps, counts: RequestCounts): readonly Route[] {
  return [
    ...operationNames().map((name) => operationRoute(name, parts)),
    ...subscriptionNames().map((name) => subscriptionRoute(name, parts)),
    ...transferRoutes(parts),
    ...builtInRoutes(parts, counts),
    ...sessionRoutes(parts),
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

function subscriptionRoute(name: SubscriptionName, parts: RouterDeps): Route {
  const { http, scopes }: Subscription = SUBSCRIPTIONS[name];
  return {
    name,
    method: http.method,
    path: http.path,
    access: "credential",
    scopes,
    mutates: false,
    answer: async (exchange) => await follow(name, exchange, parts),
  };
}

function follow(
  name: SubscriptionName,
  exchange: Exchange,
  parts: RouterDeps,
): Promise<HttpReply | undefined> {
  switch (name) {
    case "terminalFeed":
      return followTerminal(exchange, parts);
    case "entityEvents":
      return followEvents(exchange, parts);
  }
}

/** A longer path is cut in the message: clients print it. */
const MAX_QUOTED_PATH_LENGTH = 200;

/** No method of this path is served. */
export const routeNotFound = (method: string, path: string): NacreError =>
  new NacreError("route_not_found", `no route ${method} ${path.slice(0, MAX_QUOTED_PATH_LENGTH)}`, {
    suggestion: "See /docs for all routes.",
  });
