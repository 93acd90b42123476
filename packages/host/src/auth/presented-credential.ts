import { TOKEN_PATTERN } from "./tokens.ts";

/** Every value as sent; the parsed headers hide duplicates. */
export const headerValues = (rawHeaders: readonly string[], name: string): readonly string[] =>
  rawHeaders.filter((_, index) => index % 2 === 1 && rawHeaders[index - 1]?.toLowerCase() === name);

/** Of a comma-separated header. */
const headerList = (rawHeaders: readonly string[], name: string): readonly string[] =>
  headerValues(rawHeaders, name)
    .flatMap((value) => value.split(","))
    .map((value) => value.trim());

/** Prefix of a token in Sec-WebSocket-Protocol, the only header that a browser can set on a WebSocket. */
const BEARER_PROTOCOL_PREFIX = "nacre.bearer.";

/** Query parameter of a ticket, on upgrades. */
const TICKET_QUERY = "ticket";

/** Query parameter of a token on the one upgrade whose clients know no other way. */
const TOKEN_QUERY = "tkn";

/** Agent Host Protocol endpoints; only there a token may be in the query. */
export const AGENT_HOST_PATHS: readonly string[] = ["/", "/ahp"];

export type PresentedCredential =
  | { readonly kind: "none" }
  | { readonly kind: "token"; readonly secret: string }
  | { readonly kind: "ticket"; readonly ticket: string }
  /** Several, misplaced or of an unknown kind: never valid. */
  | { readonly kind: "unreadable" };

export interface CredentialFacts {
  readonly rawHeaders: readonly string[];
  readonly path: string;
  readonly query: string;
  readonly upgrade: boolean;
}

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
    // URLs end up in logs and histories; the refusal tells whoever puts a token there.
    else if (TOKEN_PATTERN.test(value)) found.push({ kind: "unreadable" });
  }
  if (found.length > 1) return { kind: "unreadable" };
  return found[0] ?? { kind: "none" };
}

/** Undefined for any other protocol. */
const parseBearerProtocol = (protocol: string): string | undefined =>
  isBearerProtocol(protocol) ? protocol.slice(BEARER_PROTOCOL_PREFIX.length) : undefined;

/** Such a protocol is never selected. */
export const isBearerProtocol = (protocol: string): boolean =>
  protocol.startsWith(BEARER_PROTOCOL_PREFIX);

/** Whether a query parameter holds a secret. */
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
