import { TOKEN_PATTERN } from "./tokens.ts";

/** Every value of a header as it came over the wire; the parsed headers hide a second one. */
export const headerValues = (rawHeaders: readonly string[], name: string): readonly string[] =>
  rawHeaders.filter((_, index) => index % 2 === 1 && rawHeaders[index - 1]?.toLowerCase() === name);

/** The values of a header that is a list with commas. */
const headerList = (rawHeaders: readonly string[], name: string): readonly string[] =>
  headerValues(rawHeaders, name)
    .flatMap((value) => value.split(","))
    .map((value) => value.trim());

/** Before a token among the protocols that a browser offers for a WebSocket, the only header it can set there. */
const BEARER_PROTOCOL_PREFIX = "nacre.bearer.";

/** The query's name of a ticket, on upgrades. */
const TICKET_QUERY = "ticket";

/** The query's name of a token on the one upgrade whose clients know no other way. */
const TOKEN_QUERY = "tkn";

/** Where clients of the Agent Host Protocol connect; only there a token may be in the query. */
export const AGENT_HOST_PATHS: readonly string[] = ["/", "/ahp"];

/** What a request shows to be let in. */
export type PresentedCredential =
  | { readonly kind: "none" }
  | { readonly kind: "token"; readonly secret: string }
  | { readonly kind: "ticket"; readonly ticket: string }
  /** More than one, in a place where none may be, or of a kind we do not know: never right. */
  | { readonly kind: "unreadable" };

/** The part of a request that may show a credential. */
export interface CredentialFacts {
  readonly rawHeaders: readonly string[];
  readonly path: string;
  readonly query: string;
  readonly upgrade: boolean;
}

/** Finds the one credential that a request shows. */
export function findPresentedCredential({
  rawHeaders,
  path,
  query,
  upgrade,
}: CredentialFacts): PresentedCredential {
  const found: PresentedCredential[] = headerValues(rawHeaders, "authorization").map(parseBearer);
  if (upgrade) {
    for (const protocol of headerList(rawHeaders, "sec-websocket-protocol")) {
      const secret = parseBearerProtocol(protocol);
      if (secret !== undefined) found.push({ kind: "token", secret });
    }
  }
  for (const [name, value] of new URLSearchParams(query)) {
    if (isTicketQuery(name, upgrade)) found.push({ kind: "ticket", ticket: value });
    else if (isTokenQuery(name, { path, upgrade })) found.push({ kind: "token", secret: value });
    // Addresses end up in logs and histories; whoever puts a token there is told by the refusal.
    else if (TOKEN_PATTERN.test(value)) found.push({ kind: "unreadable" });
  }
  if (found.length > 1) return { kind: "unreadable" };
  return found[0] ?? { kind: "none" };
}

/** The token in a WebSocket protocol, where it is one of ours. */
const parseBearerProtocol = (protocol: string): string | undefined =>
  isBearerProtocol(protocol) ? protocol.slice(BEARER_PROTOCOL_PREFIX.length) : undefined;

/** Whether a WebSocket protocol is really a credential; such a one is never selected. */
export const isBearerProtocol = (protocol: string): boolean =>
  protocol.startsWith(BEARER_PROTOCOL_PREFIX);

/** Whether a name in the query stands before a secret that only the gate may see. */
export const isSecretQuery = (
  name: string,
  at: Pick<CredentialFacts, "path" | "upgrade">,
): boolean => isTicketQuery(name, at.upgrade) || isTokenQuery(name, at);

const isTicketQuery = (name: string, upgrade: boolean): boolean => upgrade && name === TICKET_QUERY;

const isTokenQuery = (name: string, { path, upgrade }: Pick<CredentialFacts, "path" | "upgrade">) =>
  upgrade && name === TOKEN_QUERY && AGENT_HOST_PATHS.includes(path);

function parseBearer(authorization: string): PresentedCredential {
  const [scheme, secret, ...more] = authorization.split(" ");
  const isBearer = scheme?.toLowerCase() === "bearer" && more.length === 0;
  return isBearer && secret !== undefined && secret !== ""
    ? { kind: "token", secret }
    : { kind: "unreadable" };
}
