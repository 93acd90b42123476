import { NacreError } from "@nacre/contracts";
import type { Exchange } from "../exchange.ts";
import type { TerminalServiceAccess } from "../router-parts.ts";
import { SessionError } from "./session-reply.ts";

/** Where a client of the terminal service shows that it knows the password. */
const TOKEN_HEADER = "x-terminal-token";

/** After so many seconds wrong passwords are forgotten. */
const RETRY_AFTER_SECONDS = 60;

/** The token that a request brings, if any. */
export function readTerminalToken({ request }: Exchange): string | undefined {
  const token = request.headers[TOKEN_HEADER];
  return typeof token === "string" && token !== "" ? token : undefined;
}

/** Refuses everything while the service is switched off. */
export function requireEnabled({ enabled }: TerminalServiceAccess): void {
  if (!enabled) throw new SessionError(403, "Terminal access is disabled");
}

/** Refuses who has not shown the password, where there is one. */
export function requireLogin(exchange: Exchange, access: TerminalServiceAccess): void {
  requireEnabled(access);
  if (access.password.isLoggedIn(readTerminalToken(exchange))) return;
  throw new SessionError(401, "Terminal authentication required", { passwordRequired: true });
}

/** What a login is answered with: a token, or that none is needed. */
export function logIn(
  { password }: TerminalServiceAccess,
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
