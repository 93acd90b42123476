// What every cell must be answered with, told again without a look at the gate.
import type { Answer } from "./answer.ts";
import type { Cell, Credential } from "./cell.ts";
import { routeOf } from "./cell.ts";
import { type Audience, EXPECTED_UPGRADES, type ExpectedRoute } from "./expected-routes.ts";

/** What a cell must be answered with. */
export interface Expectation {
  readonly status: number;
  /** Whether the answer says nothing at all. */
  readonly isEmpty: boolean;
  /** Whether it was let in to do what it asks; then it must ask for nothing that there is. */
  readonly mayAct: boolean;
}

type Scope = "operator" | "agent" | "readOnly";

const MAY_ASK: Readonly<Record<Exclude<Audience, "everybody">, readonly Credential[]>> = {
  callers: ["operator", "agent", "readOnly"],
  changers: ["operator", "agent"],
  operators: ["operator"],
  watchers: ["operator", "readOnly"],
};

const silent = (status: number): Expectation => ({ status, isEmpty: true, mayAct: false });
const told = (status: number): Expectation => ({ status, isEmpty: false, mayAct: false });

/** The rules in their order: host, method, page, kind of upgrade, who asks, kind of content, and only then what is asked. */
export function expectationOf(cell: Cell): Expectation {
  const { method, host, page, credential, upgrade } = cell;
  const isPublic = upgrade === undefined && routeOf(cell)?.audience === "everybody";
  if (!host.isOurs) return silent(421);
  if (method === "OPTIONS") return silent(403);
  const isClick = page.isClick === true && isPublic && method === "GET";
  const isAgentHost = upgrade !== undefined && (cell.path === "/" || cell.path === "/ahp");
  const isEditor = page.isEditor === true && isAgentHost;
  if (!page.isOurs && !isClick && !isEditor) return silent(403);
  if (upgrade && (method !== "GET" || upgrade.protocol !== "websocket")) return told(400);
  const scope = scopeOf(cell);
  if (!scope && !(isPublic && credential !== "address")) return told(401);
  if (cell.content && !cell.content.isJson) return told(415);
  return upgrade ? upgraded(cell) : answered(cell, scope);
}

/** Who a cell's credential makes it. */
function scopeOf({ credential, upgrade, path }: Cell): Scope | undefined {
  if (upgrade?.way === "tkn" && path !== "/" && path !== "/ahp") return undefined;
  const isGood = credential === "operator" || credential === "agent" || credential === "readOnly";
  return isGood ? credential : undefined;
}

function upgraded({ path }: Cell): Expectation {
  const status = EXPECTED_UPGRADES.find((row) => row.path === path)?.status ?? 404;
  return { status, isEmpty: true, mayAct: false };
}

function answered(cell: Cell, scope: Scope | undefined): Expectation {
  const route = routeOf(cell);
  if (!route) return told(cell.routes.length === 0 ? 404 : 405);
  const { audience, method, path, status = 200 } = route;
  if (audience === "everybody") return { ...told(status), mayAct: true };
  if (!scope || !MAY_ASK[audience].includes(scope)) return told(403);
  const isTerminals = path.includes("{id}") || path.includes("{terminalId}");
  // The terminal is not the agent's.
  if (isTerminals && scope === "agent") return told(404);
  // To read what there is changes nothing.
  if (method === "GET") return told(status);
  // Whoever may change things asks for one that there is not.
  return { ...told(namesSomething(route) ? 404 : status), mayAct: true };
}

const namesSomething = ({ path }: ExpectedRoute): boolean => path.includes("{");

/** What every answer of ours has, whoever gets it. */
const ALWAYS: readonly (readonly [name: string, part: string])[] = [
  ["cache-control", "no-store"],
  ["content-security-policy", "frame-ancestors 'none'"],
  ["cross-origin-opener-policy", "same-origin"],
  ["cross-origin-resource-policy", "same-origin"],
  ["referrer-policy", "no-referrer"],
  ["x-content-type-options", "nosniff"],
];

const NOTHING_THERE = `"code":"route_not_found"`;

/** What is wrong with an answer, if anything. */
export function problemWith(
  { status, headers, body }: Answer,
  cell: Cell,
  expected: Expectation,
): string | undefined {
  if (status !== expected.status) return `${status} instead of ${expected.status}: ${body}`;
  const names = [...headers.keys()];
  const telling = names.find((name) => /^access-control-|^set-cookie/.test(name));
  if (telling !== undefined) return `has the header ${telling}`;
  const isEmpty = expected.isEmpty || cell.method === "HEAD";
  if (isEmpty !== (body === "")) return `the body is ${JSON.stringify(body)}`;
  if (cell.upgrade && expected.status === 101) return undefined;
  const missing = ALWAYS.find(([name, part]) => !headers.get(name)?.includes(part));
  if (missing) return `${missing[0]} is ${headers.get(missing[0])}`;
  const isNowhere = cell.routes.length === 0 && status === 404;
  if (!isEmpty && body.includes(NOTHING_THERE) !== isNowhere) return `the body is ${body}`;
  return undefined;
}
