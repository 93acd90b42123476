// Who may ask what, written by hand: a route that is not here, or is here with another audience, fails the matrix.
import type { RouteRow } from "../../packages/host/src/transports/http/route.ts";

/** Who a route is for. */
export type Audience = "everybody" | "callers" | "changers" | "operators" | "watchers";

/** What is sent to a route, and what comes of it for who may ask. */
export interface ExpectedRoute {
  readonly method: RouteRow["method"];
  /** A name in braces is a terminal, or something else that there is or is not. */
  readonly path: string;
  readonly audience: Audience;
  readonly mutates: boolean;
  /** What would do something if it were let in. */
  readonly body?: object;
  /** What does nothing although it is let in, where the path names nothing that could be missing. */
  readonly harmless?: object;
  readonly query?: string;
  /** What an allowed request is answered with, 200 when absent. */
  readonly status?: number;
}

type Rest = Partial<Pick<ExpectedRoute, "body" | "harmless" | "query" | "status">>;

const row =
  (audience: Audience, mutates: boolean) =>
  (address: `${RouteRow["method"]} ${string}`, rest: Rest = {}): ExpectedRoute => {
    const space = address.indexOf(" ");
    const method = address.slice(0, space) as RouteRow["method"];
    return { method, path: address.slice(space + 1), audience, mutates, ...rest };
  };

const open = row("everybody", false);
const read = row("callers", false);
const change = row("changers", true);
const rule = row("operators", true);

const SHELL = { workingDirectory: "/tmp", command: "/bin/sh" };
const PROOF = { credential: "0123456789abcdef", nonce: "0123456789abcdefghijkl" };
const SIZE = { cols: 132, rows: 43 };

/** A whole cast, in the form that is one object. */
const CAST = { version: 1, width: 80, height: 24, stdout: [[0.1, "taken"]] };

const TOOL_USE = {
  jsonrpc: "2.0",
  id: 1,
  method: "tools/call",
  params: { name: "terminal_create", arguments: { command: "cat" } },
};

/** Every route there is. */
export const EXPECTED_ROUTES: readonly ExpectedRoute[] = [
  open("GET /addon-webgl.js"),
  open("GET /app.css"),
  open("GET /app.js"),
  open("GET /docs.css"),
  open("GET /icon.svg"),
  open("GET /"),
  open("GET /screen.js"),
  open("GET /terminal-session.js"),
  open("GET /healthz"),
  open("GET /docs"),
  open("GET /openapi.json"),
  open("POST /api/proof", { body: PROOF, harmless: PROOF }),

  change("POST /api/terminals", { body: SHELL, harmless: { size: 1 }, status: 400 }),
  read("GET /api/terminals"),
  read("GET /api/terminals/{id}"),
  change("PATCH /api/terminals/{id}", { body: { title: "taken" } }),
  // Without somebody who is gone nothing is meant.
  change("DELETE /api/terminals", { status: 400 }),
  change("DELETE /api/terminals/{id}"),
  change("POST /api/terminals/{id}/signal", { body: { signal: "SIGTERM" } }),
  change("POST /api/terminals/{id}/kill", { body: {} }),
  change("POST /api/terminals/{id}/input", { body: { data: "taken\r" } }),
  change("POST /api/terminals/{id}/paste", { body: { text: "taken" } }),
  change("POST /api/terminals/{id}/resize", { body: SIZE }),
  change("POST /api/terminals/{id}/clear", { body: {} }),
  change("POST /api/terminals/{id}/markers", { body: { label: "taken" } }),
  change("POST /api/terminals/{id}/commands", { body: { commandLine: "taken", timeoutMs: 1 } }),
  change("POST /api/terminals/{id}/claim", { body: {} }),
  change("POST /api/terminals/{id}/claim/hand-back", { body: {} }),
  change("POST /api/terminals/{id}/control-requests", { body: {} }),
  change("POST /api/terminals/{id}/control-requests/{requestId}", { body: { grant: true } }),
  change("POST /api/terminals/{id}/input-requests", { body: { prompt: "taken" } }),
  change("POST /api/terminals/{id}/input-requests/{requestId}", { body: { text: "taken" } }),
  read("GET /api/terminals/{id}/input-requests/{requestId}", { status: 409 }),
  change("DELETE /api/terminals/{id}/input-requests/{requestId}"),
  read("GET /api/terminals/{id}/claim"),
  read("POST /api/terminals/{id}/wait", { body: { until: [{ kind: "exit" }], timeoutMs: 1 } }),
  read("GET /api/terminals/{id}/screen"),
  read("GET /api/terminals/{id}/output"),
  read("GET /api/terminals/{id}/commands"),
  read("GET /api/terminals/{id}/commands/{commandId}", { status: 404 }),
  read("GET /api/terminals/{id}/feed"),
  read("GET /api/terminals/{terminalId}/recording"),
  change("POST /api/exec", { body: { command: "/bin/true" }, harmless: {}, status: 400 }),

  read("GET /api/events", { query: "channel=*" }),
  read("GET /api/search", { query: "text=taken" }),
  read("GET /api/recordings"),
  change("POST /api/recordings", { body: CAST, harmless: {}, status: 400 }),
  rule("POST /api/recordings/prune", { body: { maxAgeMs: 0 }, harmless: {}, status: 400 }),
  read("GET /api/recordings/{id}/timeline"),
  read("GET /api/recordings/{id}/verdict"),
  read("GET /api/recordings/{id}/export"),
  rule("DELETE /api/recordings/{id}"),
  read("GET /api/host"),
  rule("PUT /api/limits", { body: { maxTerminals: 700 }, harmless: {}, status: 400 }),
  row("operators", false)("GET /api/audit"),
  row("operators", false)("GET /api/tokens"),
  rule("POST /api/tokens", {
    body: { name: "taken", scope: "operator" },
    harmless: {},
    status: 400,
  }),
  rule("POST /api/tokens/{name}/rotate", { body: {} }),
  rule("DELETE /api/tokens/{name}"),
  read("POST /api/tickets", { body: { path: "/ahp" }, harmless: {}, status: 400 }),
  row("watchers", false)("GET /metrics"),
  row("callers", true)("POST /mcp", { body: TOOL_USE, harmless: { ...TOOL_USE, method: "ping" } }),

  read("GET /api/terminal/status"),
  row("callers", true)("POST /api/terminal/auth", { body: {}, harmless: {} }),
  row("callers", true)("POST /api/terminal/logout", { body: {}, harmless: {} }),
  read("GET /api/terminal/sessions"),
  change("POST /api/terminal/sessions", { body: {}, harmless: { cols: -1 }, status: 400 }),
  read("GET /api/terminal/sessions/{id}"),
  change("DELETE /api/terminal/sessions/{id}"),
  change("POST /api/terminal/sessions/{id}/resize", { body: SIZE }),
  read("GET /api/terminal/settings"),
  rule("PUT /api/terminal/settings", {
    body: { maxSessions: 600 },
    harmless: { maxSessions: 0 },
    status: 400,
  }),
];

/** Every address that can become a WebSocket, and what an allowed one is answered with. */
export const EXPECTED_UPGRADES: readonly { readonly path: string; readonly status: number }[] = [
  { path: "/api/terminals/{id}/connect", status: 101 },
  { path: "/api/terminal/ws", status: 101 },
  { path: "/", status: 101 },
  { path: "/ahp", status: 101 },
];
