import { NacreError, OPERATIONS } from "@nacre/contracts";
import type { Operations } from "../../operations/operations.ts";
import { type Exchange, requireCallContext, type Route, type RouteRow } from "../http/route.ts";
import { readBody } from "../http/read-body.ts";
import type { HttpReply } from "../http/reply.ts";
import { type ServiceAccess, usualShellOf } from "./service-access.ts";
import {
  dataReply,
  failureReply,
  SessionError,
  SessionOperations,
  successReply,
} from "./session-operations.ts";

/** Where a client of the terminal service shows that it knows the password. */
const TOKEN_HEADER = "x-terminal-token";

/** After so many seconds wrong passwords are forgotten. */
const RETRY_AFTER_SECONDS = 60;

/** The token that a request brings, if any. */
function readTerminalToken({ request }: Exchange): string | undefined {
  const token = request.headers[TOKEN_HEADER];
  return typeof token === "string" && token !== "" ? token : undefined;
}

/** Refuses everything while the service is switched off. */
function requireEnabled({ enabled }: ServiceAccess): void {
  if (!enabled) throw new SessionError(403, "Terminal access is disabled");
}

/** Refuses who has not shown the password, where there is one. */
function requireLogin(exchange: Exchange, access: ServiceAccess): void {
  requireEnabled(access);
  if (access.password.isLoggedIn(readTerminalToken(exchange))) return;
  throw new SessionError(401, "Terminal authentication required", { passwordRequired: true });
}

/** What a login is answered with: a token, or that none is needed. */
function logIn(
  { password }: ServiceAccess,
  given: unknown,
  source: string,
): Readonly<Record<string, unknown>> {
  if (!password.isRequired) return { authenticated: true, passwordRequired: false };
  try {
    const { token, expiresInMs } = password.login(typeof given === "string" ? given : "", source);
    return { authenticated: true, token, expiresIn: expiresInMs };
  } catch (error) {
    throw error instanceof NacreError ? toLoginError(error) : error;
  }
}

function toLoginError(error: NacreError): Error {
  if (error.code === "unauthenticated") return new SessionError(401, "Invalid password");
  if (error.code !== "limit_reached") return error;
  return new SessionError(429, "Too many failed authentication attempts. Please try again later.", {
    retryAfter: RETRY_AFTER_SECONDS,
  });
}

/** Where the terminal service is mounted. */
const BASE = "/api/terminal";

/** What a route works with. */
interface SessionRequest {
  readonly exchange: Exchange;
  readonly service: ServiceAccess;
  readonly sessions: SessionOperations;
  /** The session in the path. */
  readonly id: string;
}

type SessionRow = Pick<RouteRow, "name" | "method" | "path" | "scopes"> & {
  /** Whether the password has to be shown first. */
  readonly isOpen?: true;
  readonly answer: (asked: SessionRequest) => Promise<HttpReply>;
};

/** Sessions are said with operations, so that whoever may use those may use these. */
const { scopes: READERS } = OPERATIONS.listTerminals;
const { scopes: CHANGERS } = OPERATIONS.createTerminal;
const { scopes: OPERATOR } = OPERATIONS.changeLimits;

const ROWS: readonly SessionRow[] = [
  {
    name: "sessionStatus",
    method: "GET",
    path: "/status",
    scopes: READERS,
    isOpen: true,
    answer: status,
  },
  {
    name: "sessionLogin",
    method: "POST",
    path: "/auth",
    scopes: READERS,
    isOpen: true,
    answer: login,
  },
  {
    name: "sessionLogout",
    method: "POST",
    path: "/logout",
    scopes: READERS,
    isOpen: true,
    answer: logout,
  },
  {
    name: "listSessions",
    method: "GET",
    path: "/sessions",
    scopes: READERS,
    answer: async ({ sessions }) => dataReply(await sessions.list()),
  },
  {
    name: "createSession",
    method: "POST",
    path: "/sessions",
    scopes: CHANGERS,
    answer: async ({ sessions, exchange }) =>
      dataReply(await sessions.create(await readBody(exchange.request))),
  },
  {
    name: "readSession",
    method: "GET",
    path: "/sessions/{id}",
    scopes: READERS,
    answer: async ({ sessions, id }) => dataReply(await sessions.read(id)),
  },
  {
    name: "deleteSession",
    method: "DELETE",
    path: "/sessions/{id}",
    scopes: CHANGERS,
    answer: async ({ sessions, id, exchange }) => {
      await sessions.end(id, new URLSearchParams(exchange.query).get("force") === "true");
      return successReply();
    },
  },
  {
    name: "resizeSession",
    method: "POST",
    path: "/sessions/{id}/resize",
    scopes: CHANGERS,
    answer: async ({ sessions, id, exchange }) => {
      await sessions.resize(id, await readBody(exchange.request));
      return successReply();
    },
  },
  {
    name: "readSessionSettings",
    method: "GET",
    path: "/settings",
    scopes: READERS,
    answer: async ({ sessions }) => dataReply(await sessions.counts()),
  },
  {
    name: "changeSessionSettings",
    method: "PUT",
    path: "/settings",
    scopes: OPERATOR,
    answer: async ({ sessions, exchange }) => {
      await sessions.configure(await readBody(exchange.request));
      return dataReply(await sessions.counts());
    },
  },
];

export interface SessionRoutesDeps {
  readonly operations: Pick<Operations, "call">;
  readonly service: ServiceAccess;
}

/** The routes of the terminal service; each refuses while it is switched off, and without its password where there is one. */
export const sessionRoutes = (deps: SessionRoutesDeps): readonly Route[] =>
  ROWS.map(({ name, method, path, scopes, isOpen, answer }) => ({
    name,
    method,
    path: BASE + path,
    access: "credential",
    scopes,
    mutates: method !== "GET",
    answer: async (exchange) => {
      try {
        if (!isOpen) requireLogin(exchange, deps.service);
        const context = requireCallContext(exchange, "service");
        const sessions = new SessionOperations(deps.operations, {
          context,
          usualShell: usualShellOf(deps.service),
        });
        return await answer({
          exchange,
          service: deps.service,
          sessions,
          id: exchange.parameters["id"] ?? "",
        });
      } catch (error) {
        return failureReply(error);
      }
    },
  }));

async function status({ sessions, service }: SessionRequest): Promise<HttpReply> {
  const { enabled, password, platform } = service;
  const { currentSessions, maxSessions } = await sessions.counts();
  return dataReply({
    enabled,
    passwordRequired: password.isRequired,
    platform,
    activeSessionCount: currentSessions,
    maxSessions,
    utilization: currentSessions / maxSessions,
  });
}

async function login({ exchange, service }: SessionRequest): Promise<HttpReply> {
  requireEnabled(service);
  const { password } = await readBody(exchange.request);
  return dataReply(logIn(service, password, exchange.admission?.source ?? "unknown"));
}

async function logout({ exchange, service }: SessionRequest): Promise<HttpReply> {
  const { token } = await readBody(exchange.request);
  for (const one of [readTerminalToken(exchange), token]) {
    if (typeof one === "string") service.password.logout(one);
  }
  return successReply();
}
