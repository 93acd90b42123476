// One request of the matrix: what it says, and who says it from where.
import type { Secrets, Wire } from "./gated-daemon.ts";
import type { ExpectedRoute } from "./expected-routes.ts";

/** What a request shows to be let in; `address` is a good one in a place where none may be. */
export type Credential =
  | "none"
  | "wrong"
  | "expired"
  | "address"
  | "readOnly"
  | "agent"
  | "operator";

/** Every kind of credential. */
export const CREDENTIALS: readonly Credential[] = [
  "none",
  "wrong",
  "expired",
  "address",
  "readOnly",
  "agent",
  "operator",
];

/** How an upgrade shows its credential: in the header, among the protocols, or in the query. */
export type Way = "header" | "protocol" | "tkn";

/** How a request calls the host it is for. */
export interface HostLine {
  readonly lines: readonly string[];
  /** Stands before the path, where a request names its host there. */
  readonly before?: string;
  readonly isOurs: boolean;
}

/** What a browser says about the page that sends a request. */
export interface PageLines {
  readonly lines: readonly string[];
  /** Whether our own page, a person or a program sends it. */
  readonly isOurs: boolean;
  /** Whether it is what a link elsewhere leads to. */
  readonly isClick?: boolean;
  /** Whether it is the window of an editor, which may connect to agent hosts. */
  readonly isEditor?: boolean;
}

/** What the body of a request says that it is. */
export interface Content {
  readonly type: string | undefined;
  readonly isJson: boolean;
}

/** The only body that is taken. */
const JSON_CONTENT: Content = { type: "application/json", isJson: true };

/** One cell of the matrix. */
export interface Cell {
  readonly method: string;
  readonly path: string;
  /** The route that the path belongs to, if any. */
  readonly routes: readonly ExpectedRoute[];
  readonly credential: Credential;
  readonly host: HostLine;
  readonly page: PageLines;
  /** What is sent along; nothing when absent. */
  readonly content?: Content;
  /** How an upgrade shows who asks; a plain request when absent. */
  readonly upgrade?: { readonly way: Way; readonly protocol: string };
}

/** The things that paths name: those that there are, and those that there are not. */
export interface Named {
  readonly terminalId: string;
  readonly isThere: boolean;
}

const MISSING_TERMINAL = "terminal:01ARZ3NDEKTSV4RRFFQ69G5FAV";

/** A path with the names of things in it. */
function fill(path: string, { terminalId, isThere }: Named): string {
  const terminal = isThere ? terminalId : MISSING_TERMINAL;
  return path
    .replace(/\{(id|terminalId)\}/, terminal)
    .replace("{name}", isThere ? "victim" : "nobody")
    .replace(/\{(commandId|requestId)\}/, "7");
}

/** The route that a method has at the cell's path; HEAD is answered where GET is. */
export const routeOf = ({ method, routes }: Cell): ExpectedRoute | undefined =>
  routes.find((route) => route.method === (method === "HEAD" ? "GET" : method));

const HAS_BODY: readonly string[] = ["POST", "PUT", "PATCH"];

/** Writes a cell as it goes over the wire; what it names is there exactly if it must not be let in to change that. */
export function wireOf(cell: Cell, secrets: Secrets, named: Named): Wire {
  const { method, host, page, upgrade, content } = cell;
  const route = routeOf(cell);
  const credential = credentialOf(cell, secrets);
  const query = [...credential.query, ...(route?.query ? [route.query] : [])].join("&");
  const target = `${host.before ?? ""}${fill(cell.path, named)}${query && `?${query}`}`;
  const sent = content ?? (HAS_BODY.includes(method) && route?.body ? JSON_CONTENT : undefined);
  const harmless = route?.harmless ?? route?.body;
  const body = sent ? JSON.stringify((named.isThere ? route?.body : harmless) ?? {}) : "";
  const lines = [
    `${method} ${target} HTTP/1.1`,
    ...host.lines,
    ...page.lines,
    ...credential.lines,
    ...(upgrade === undefined
      ? ["Connection: close"]
      : [
          "Connection: Upgrade",
          `Upgrade: ${upgrade.protocol}`,
          "Sec-WebSocket-Version: 13",
          "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
        ]),
    ...(sent?.type === undefined ? [] : [`Content-Type: ${sent.type}`]),
    ...(sent ? [`Content-Length: ${body.length}`] : []),
  ];
  return { method, text: `${lines.join("\r\n")}\r\n\r\n${body}` };
}

function credentialOf({ credential, upgrade }: Cell, secrets: Secrets) {
  if (credential === "none") return { lines: [], query: [] };
  if (credential === "address") return { lines: [], query: [`token=${secrets.operator}`] };
  const secret = secrets[credential];
  switch (upgrade?.way ?? "header") {
    case "header":
      return { lines: [`Authorization: Bearer ${secret}`], query: [] };
    case "protocol":
      return { lines: [`Sec-WebSocket-Protocol: chat, nacre.bearer.${secret}`], query: [] };
    case "tkn":
      return { lines: [], query: [`tkn=${secret}`] };
  }
}

/** A cell in one line, for whoever reads what failed. */
export const describeCell = ({ method, path, credential, host, page, upgrade, content }: Cell) =>
  [
    upgrade === undefined ? "" : `upgrade to ${upgrade.protocol} by ${upgrade.way}`,
    method,
    path,
    credential,
    ...host.lines,
    host.before ?? "",
    ...page.lines,
    content === undefined ? "" : `(${content.type})`,
  ]
    .filter((part) => part !== "")
    .join(" ");
