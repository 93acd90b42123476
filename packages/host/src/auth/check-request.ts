/** The decision before all routing; pure, so that every case can be tried. */
import { CAST_MEDIA_TYPE, type ErrorCode } from "@nacre/contracts";
import {
  AGENT_HOST_PATHS,
  findPresentedCredential,
  headerValues,
  type PresentedCredential,
} from "./presented-credential.ts";
import { PROOF_PATH } from "./proof.ts";

/** What the gate knows about the listener a request came by; decided when it was bound, never taken from a request. */
export interface ListenerFacts {
  readonly kind: "tcp" | "unix";
  /** Every `Host` we answer to, whole and literal, such as `127.0.0.1:6227`. */
  readonly hosts: readonly string[];
  /** Every `Origin` that is our own page, whole and literal, such as `http://127.0.0.1:6227`. */
  readonly origins: readonly string[];
}

/** How a listener was bound. */
interface ListenerBinding {
  readonly port: number;
  /** Whether it speaks TLS itself. */
  readonly isSecure?: boolean;
  /** Under which other addresses people reach it, such as `https://terminals.example.com`, by configuration only. */
  readonly publicOrigins?: readonly string[];
}

const LOOPBACK_NAMES = ["127.0.0.1", "localhost", "[::1]"];

/** What a program says that speaks HTTP over the unix socket. */
const UNIX_HOSTS = ["localhost"];

/** The facts of a listener on a TCP port. */
export function describeTcpListener({
  port,
  isSecure = false,
  publicOrigins = [],
}: ListenerBinding): ListenerFacts {
  const scheme = isSecure ? "https" : "http";
  const addresses = LOOPBACK_NAMES.map((name) => `${scheme}://${name}:${port}`);
  const urls = [...addresses, ...publicOrigins].map((address) => new URL(address));
  // Programs may write the port that a scheme has anyway; browsers leave it out.
  const written = urls.filter((url) => url.port === "").map((url) => `${url.host}:${portOf(url)}`);
  return {
    kind: "tcp",
    hosts: [...urls.map((url) => url.host), ...written],
    origins: urls.map((url) => url.origin),
  };
}

/** The facts of the listener on the unix socket, which no browser can reach. */
export const describeUnixListener = (): ListenerFacts => ({
  kind: "unix",
  hosts: UNIX_HOSTS,
  origins: [],
});

const portOf = (url: URL): string => (url.protocol === "https:" ? "443" : "80");

/** More headers than any browser or client sends; a request with more would be read in part only. */
export const MAX_HEADERS = 64;

/** What the gate decides by: the request as it came over the wire, and the listener. */
export interface RequestFacts {
  readonly listener: ListenerFacts;
  /** What anybody may read, whole and literal, such as `/healthz`. */
  readonly publicPaths: readonly string[];
  readonly method: string;
  /** The target of the request line. */
  readonly target: string;
  /** Names and values in turn. */
  readonly rawHeaders: readonly string[];
  /** Whether it asks to become another protocol. */
  readonly upgrade: boolean;
}

/** What a request was refused for. */
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

/** How a request is refused. */
export interface Refusal {
  readonly status: 400 | 401 | 403 | 404 | 415 | 421 | 429 | 431;
  readonly code: ErrorCode;
  readonly reason: RefusalReason;
}

/** What the gate says: no, anybody may, or whoever shows the right credential. */
export type RequestDecision =
  | { readonly outcome: "refused"; readonly refusal: Refusal }
  | { readonly outcome: "public" }
  | {
      readonly outcome: "credential";
      readonly path: string;
      readonly presented: PresentedCredential;
    };

/** Decides about a request by everything but the credential itself, which is looked at only after this. */
export function checkRequest(facts: RequestFacts): RequestDecision {
  const { path, query } = splitTarget(facts.target);
  const refusal = checkBeforeCredential(facts, path);
  if (refusal !== undefined) return { outcome: "refused", refusal };
  const shown = { ...facts, path, query };
  // What is for everybody does not ask for a credential; only one in the address is refused even there.
  if (
    isPublic(facts, path) &&
    findPresentedCredential({ ...shown, rawHeaders: [] }).kind === "none"
  ) {
    const content = checkContent(facts.rawHeaders);
    return content === undefined ? { outcome: "public" } : { outcome: "refused", refusal: content };
  }
  return { outcome: "credential", path, presented: findPresentedCredential(shown) };
}

/** What bodies of ours are; a browser asks first before it sends one to another site. */
const BODY_TYPES: ReadonlySet<string | undefined> = new Set(["application/json", CAST_MEDIA_TYPE]);

/** A page of another site can send a body only as a form or as text; asked after the credential, so that nothing is told before. */
export function checkContent(rawHeaders: readonly string[]): Refusal | undefined {
  if (!hasBody(rawHeaders)) return undefined;
  const types = headerValues(rawHeaders, "content-type");
  if (types.length === 1 && BODY_TYPES.has(parseMediaType(types[0]))) return undefined;
  return { status: 415, code: "invalid_argument", reason: "content" };
}

/** The path and the query of a target as they are, undecoded. */
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
  // A target with a host of its own would stand above the header, so that none is taken.
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

/** What VS Code's own window says it is; a page on the web cannot, and neither can what VS Code shows of others. */
const EDITOR_ORIGIN = "vscode-file://vscode-app";

/** An editor connects where agent hosts are, with a credential like everybody, and nowhere else. */
const mayBeEditor = ({ upgrade }: RequestFacts, path: string): boolean =>
  upgrade && AGENT_HOST_PATHS.includes(path);

/** Browsers say where a request comes from; other programs say nothing. */
const isSameOriginFetch = (rawHeaders: readonly string[]): boolean =>
  headerValues(rawHeaders, "sec-fetch-site").every(
    (site) => site === "same-origin" || site === "none",
  );

/** A link elsewhere may lead to our public page: the page that has the link learns nothing of it. */
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

/** Whether a body comes with the request. */
export const hasBody = (rawHeaders: readonly string[]): boolean =>
  headerValues(rawHeaders, "transfer-encoding").length > 0 ||
  headerValues(rawHeaders, "content-length").some((length) => Number(length) !== 0);

const parseMediaType = (contentType: string | undefined): string | undefined =>
  contentType?.split(";")[0]?.trim().toLowerCase();
