/** The decision before all routing; pure, so that every case can be tested. */
import { CAST_MEDIA_TYPE, type ErrorCode } from "@nacre/contracts";
import {
  AGENT_HOST_PATHS,
  findPresentedCredential,
  headerValues,
  type PresentedCredential,
} from "./presented-credential.ts";
import { PROOF_PATH } from "./proof.ts";

/** What is known of the listener; decided when it was bound, never taken from a request. */
export interface ListenerFacts {
  readonly kind: "tcp" | "unix";
  /** Accepted `Host` values, literal, such as `127.0.0.1:6227`. */
  readonly hosts: readonly string[];
  /** Accepted `Origin` values, literal, such as `http://127.0.0.1:6227`. */
  readonly origins: readonly string[];
}

interface ListenerBinding {
  readonly port: number;
  /** Speaks TLS itself. */
  readonly isSecure?: boolean;
  /** Configured public addresses, such as `https://terminals.example.com`. */
  readonly publicOrigins?: readonly string[];
}

const LOOPBACK_NAMES = ["127.0.0.1", "localhost", "[::1]"];

/** What HTTP clients send over the unix socket. */
const UNIX_HOSTS = ["localhost"];

export function describeTcpListener({
  port,
  isSecure = false,
  publicOrigins = [],
}: ListenerBinding): ListenerFacts {
  const scheme = isSecure ? "https" : "http";
  const addresses = LOOPBACK_NAMES.map((name) => `${scheme}://${name}:${port}`);
  const urls = [...addresses, ...publicOrigins].map((address) => new URL(address));
  // Programs may write a scheme's default port; browsers omit it.
  const written = urls.filter((url) => url.port === "").map((url) => `${url.host}:${portOf(url)}`);
  return {
    kind: "tcp",
    hosts: [...urls.map((url) => url.host), ...written],
    origins: urls.map((url) => url.origin),
  };
}

/** No browser can reach the unix socket. */
export const describeUnixListener = (): ListenerFacts => ({
  kind: "unix",
  hosts: UNIX_HOSTS,
  origins: [],
});

const portOf = (url: URL): string => (url.protocol === "https:" ? "443" : "80");

/** More than any browser or client sends; Node would drop the rest. */
export const MAX_HEADERS = 64;

/** The request as it came over the wire, and the listener. */
export interface RequestFacts {
  readonly listener: ListenerFacts;
  /** Readable without a credential; literal, such as `/healthz`. */
  readonly publicPaths: readonly string[];
  readonly method: string;
  /** From the request line. */
  readonly target: string;
  /** Names and values alternate. */
  readonly rawHeaders: readonly string[];
  readonly upgrade: boolean;
}

type RefusalReason =
  | "headers"
  | "host"
  | "method"
  | "origin"
  | "site"
  | "upgrade"
  | "content"
  | "credential"
  | "label"
  | "rate"
  | "connections"
  | "path"
  | "peer";

export interface Refusal {
  readonly status: 400 | 401 | 403 | 404 | 415 | 421 | 429 | 431;
  readonly code: ErrorCode;
  readonly reason: RefusalReason;
}

/** Refused, public, or subject to a credential. */
export type RequestDecision =
  | { readonly outcome: "refused"; readonly refusal: Refusal }
  | { readonly outcome: "public" }
  | {
      readonly outcome: "credential";
      readonly path: string;
      readonly presented: PresentedCredential;
    };

/** Decides by everything but the credential, which is checked only after this. */
export function checkRequest(facts: RequestFacts): RequestDecision {
  const { path, query } = splitTarget(facts.target);
  const refusal = checkBeforeCredential(facts, path);
  if (refusal !== undefined) return { outcome: "refused", refusal };
  const shown = { ...facts, path, query };
  // Public paths need no credential; one in the URL is refused even there.
  if (
    isPublic(facts, path) &&
    findPresentedCredential({ ...shown, rawHeaders: [] }).kind === "none"
  ) {
    const content = checkContent(facts.rawHeaders);
    return content === undefined ? { outcome: "public" } : { outcome: "refused", refusal: content };
  }
  return { outcome: "credential", path, presented: findPresentedCredential(shown) };
}

/** Accepted media types; none can be sent cross-site without a CORS preflight. */
const BODY_TYPES: ReadonlySet<string | undefined> = new Set(["application/json", CAST_MEDIA_TYPE]);

/**
 * A cross-site page can send a body only as a form or as text. Checked after the credential, so that strangers learn
 * nothing.
 */
export function checkContent(rawHeaders: readonly string[]): Refusal | undefined {
  if (!hasBody(rawHeaders)) return undefined;
  const types = headerValues(rawHeaders, "content-type");
  if (types.length === 1 && BODY_TYPES.has(parseMediaType(types[0]))) return undefined;
  return { status: 415, code: "invalid_argument", reason: "content" };
}

/** Undecoded. */
export function splitTarget(target: string): { readonly path: string; readonly query: string } {
  const at = target.indexOf("?");
  return at < 0
    ? { path: target, query: "" }
    : { path: target.slice(0, at), query: target.slice(at + 1) };
}

function checkBeforeCredential(facts: RequestFacts, path: string): Refusal | undefined {
  const { listener, method, target, rawHeaders, upgrade } = facts;
  if (rawHeaders.length > MAX_HEADERS * 2) {
    return { status: 431, code: "payload_too_large", reason: "headers" };
  }
  const hosts = headerValues(rawHeaders, "host");
  // Absolute-form targets would override the header, so they are refused.
  if (hosts.length !== 1 || !listener.hosts.includes(hosts[0] ?? "") || !target.startsWith("/")) {
    return { status: 421, code: "forbidden", reason: "host" };
  }
  if (method === "OPTIONS") return forbidden("method");
  const origins = headerValues(rawHeaders, "origin");
  const isEditor = mayBeEditor(facts, path) && origins.length === 1 && origins[0] === EDITOR_ORIGIN;
  if (!isEditor) {
    if (origins.length > 1 || origins.some((origin) => !listener.origins.includes(origin))) {
      return forbidden("origin");
    }
    if (!isSameOriginFetch(rawHeaders) && !isLinkNavigation(facts, path)) return forbidden("site");
  }
  if (upgrade && !isWebSocket(method, rawHeaders)) {
    return { status: 400, code: "invalid_argument", reason: "upgrade" };
  }
  return undefined;
}

const forbidden = (reason: RefusalReason): Refusal => ({ status: 403, code: "forbidden", reason });

/** The origin of VS Code's own window; neither web pages nor webviews can have it. */
const EDITOR_ORIGIN = "vscode-file://vscode-app";

/** Editors connect only to the agent host endpoints, with a credential like everybody. */
const mayBeEditor = ({ upgrade }: RequestFacts, path: string): boolean =>
  upgrade && AGENT_HOST_PATHS.includes(path);

/** `Sec-Fetch-Site`: browsers send it, other programs do not. */
const isSameOriginFetch = (rawHeaders: readonly string[]): boolean =>
  headerValues(rawHeaders, "sec-fetch-site").every(
    (site) => site === "same-origin" || site === "none",
  );

/** A link on another site may lead to our public page: the linking page learns nothing. */
function isLinkNavigation(facts: RequestFacts, path: string): boolean {
  const has = (name: string, value: string): boolean => {
    const values = headerValues(facts.rawHeaders, name);
    return values.length === 1 && values[0] === value;
  };
  return (
    facts.method === "GET" &&
    isPublic(facts, path) &&
    has("sec-fetch-mode", "navigate") &&
    has("sec-fetch-dest", "document")
  );
}

function isPublic({ method, upgrade, publicPaths }: RequestFacts, path: string): boolean {
  if (upgrade) return false;
  if (method === "POST") return path === PROOF_PATH;
  return (method === "GET" || method === "HEAD") && publicPaths.includes(path);
}

const isWebSocket = (method: string, rawHeaders: readonly string[]): boolean =>
  method === "GET" &&
  headerValues(rawHeaders, "upgrade").every((protocol) => protocol.toLowerCase() === "websocket");

export const hasBody = (rawHeaders: readonly string[]): boolean =>
  headerValues(rawHeaders, "transfer-encoding").length > 0 ||
  headerValues(rawHeaders, "content-length").some((length) => Number(length) !== 0);

const parseMediaType = (contentType: string | undefined): string | undefined =>
  contentType?.split(";")[0]?.trim().toLowerCase();
