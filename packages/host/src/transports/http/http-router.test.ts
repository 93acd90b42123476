import { NacreError, OPERATIONS, SUBSCRIPTIONS, TRANSFERS } from "@nacre/contracts";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { RouteRow } from "./route.ts";
import { type RouterRig, admissionOf, startRouter } from "./testing/router-rig.ts";

let rig: RouterRig;

beforeAll(async () => {
  rig = await startRouter();
});

afterAll(async () => {
  await rig[Symbol.asyncDispose]();
});

beforeEach(() => {
  rig.admission = admissionOf("operator");
  rig.operations.asked.length = 0;
  rig.problems.length = 0;
  rig.operations.answer = () => ({});
});

const addressOf = ({ path }: Pick<RouteRow, "path">): string =>
  path.replace(/\{[A-Za-z]+\}/g, "terminal:a1");

/** A cast is not read as JSON, and may be large. */
const takesBody = ({ method, name }: RouteRow): boolean =>
  !["GET", "DELETE"].includes(method) && name !== "importRecording";

describe("the table of routes", () => {
  test("has every operation, subscription and transfer at its place", () => {
    const tables = { ...OPERATIONS, ...SUBSCRIPTIONS, ...TRANSFERS };
    for (const [name, { http, scopes }] of Object.entries(tables)) {
      const row = rig.router.routes.find((one) => one.name === name);
      expect(row).toMatchObject({ method: http.method, path: http.path, scopes });
      expect(row?.access).toBe("credential");
    }
  });

  test("opens nothing to everybody but a handful of addresses", () => {
    const open = rig.router.routes
      .filter(({ access }) => access === "public")
      .map(({ method, path }) => `${method} ${path}`);
    expect(open).toEqual([
      "GET /addon-webgl.js",
      "GET /app.css",
      "GET /app.js",
      "GET /docs.css",
      "GET /icon.svg",
      "GET /",
      "GET /screen.js",
      "GET /terminal-session.js",
      "GET /healthz",
      "GET /docs",
      "GET /openapi.json",
      "POST /api/proof",
    ]);
  });

  test("answers nobody without a credential, whatever the guard did", async () => {
    rig.admission = undefined;
    const closed = rig.router.routes.filter(({ access }) => access === "credential");
    const statuses = await Promise.all(
      closed.map(async (row) => (await rig.fetch(addressOf(row), { method: row.method })).status),
    );
    expect(new Set(statuses)).toEqual(new Set([401]));
    expect(rig.operations.asked).toEqual([]);
  });
});

const HEADERS = {
  "cache-control": "no-store",
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
};

test.each(["/", "/app.js", "/healthz", "/docs", "/nothing", "/api/terminals", "/api/host/x"])(
  "%s has the headers of every answer and may not be framed",
  async (path) => {
    const { headers } = await rig.fetch(path);
    for (const [name, value] of Object.entries(HEADERS)) expect(headers.get(name)).toBe(value);
    expect(headers.get("content-security-policy")).toContain("frame-ancestors 'none'");
    expect(headers.get("access-control-allow-origin")).toBeNull();
    expect(headers.get("set-cookie")).toBeNull();
  },
);

describe("an address", () => {
  test("that is known takes its own methods only, and says which", async () => {
    const response = await rig.fetch("/api/terminals", { method: "PUT" });
    expect(response.status).toBe(405);
    expect(response.headers.get("allow")?.split(", ").toSorted()).toEqual([
      "DELETE",
      "GET",
      "HEAD",
      "POST",
    ]);
    expect(rig.operations.asked).toEqual([]);
  });

  test("that is not known is not found", async () => {
    for (const path of [
      "/api",
      "/api/terminals/",
      "/api/terminals/a/b",
      "/..%2f",
      "/favicon.ico",
    ]) {
      const response = await rig.fetch(path);
      expect([path, response.status]).toEqual([path, 404]);
      expect(await response.json()).toMatchObject({
        error: { code: "route_not_found", message: `no route GET ${path}` },
      });
    }
  });

  test("answers HEAD as GET, without the body", async () => {
    const whole = await rig.fetch("/healthz");
    const head = await rig.fetch("/healthz", { method: "HEAD" });
    expect([head.status, await head.text()]).toEqual([200, ""]);
    expect(head.headers.get("content-length")).toBe(whole.headers.get("content-length"));
    const stream = await rig.fetch("/api/events?channel=*", { method: "HEAD" });
    expect([stream.status, await stream.text()]).toEqual([200, ""]);
    expect(rig.operations.feeds.at(-1)?.taken).toBe(0);
    await rig.operations.feeds.at(-1)?.ended.promise;
    const nothing = await rig.fetch("/api/events", { method: "HEAD" });
    expect(nothing.status).toBe(400);
  });
});

describe("an input", () => {
  test("is made of path and query where there is no body", async () => {
    await rig.fetch("/api/terminals/terminal:a1/output?position.after=5&maxBytes=10");
    expect(rig.operations.asked).toMatchObject([
      {
        name: "readOutput",
        input: { id: "terminal:a1", position: { after: 5 }, maxBytes: 10 },
        context: { via: "http", peer: "127.0.0.1:1", caller: { id: "tester" } },
      },
    ]);
  });

  test("is made of path and body otherwise; the answer has the status of the table", async () => {
    await rig.post("/api/terminals/terminal%3Aa1/resize", '{"cols":80,"rows":24}');
    expect(rig.operations.asked[0]).toMatchObject({
      name: "resizeTerminal",
      input: { id: "terminal:a1", cols: 80, rows: 24 },
    });
    rig.operations.answer = () => ({ id: "terminal:b2" });
    const created = await rig.post("/api/terminals", "{}");
    expect([created.status, await created.json()]).toEqual([201, { id: "terminal:b2" }]);
  });

  test("may be empty where nothing has to be said", async () => {
    const response = await rig.fetch("/api/terminals/terminal:a1/clear", { method: "POST" });
    expect(response.status).toBe(200);
    expect(rig.operations.asked[0]?.input).toEqual({ id: "terminal:a1" });
  });

  test.each([
    ["POST", "/api/terminals/terminal:a1/clear", '{"id":"terminal:b2"}', "id"],
    ["POST", "/api/terminals?name=x", "{}", undefined],
    ["POST", "/api/terminals", "[]", undefined],
    ["POST", "/api/terminals", "null", undefined],
    ["DELETE", "/api/terminals/terminal:a1", "{}", undefined],
    ["DELETE", "/api/terminals/terminal:a1?id=terminal:b2", undefined, "id"],
    ["GET", "/api/terminals?limit=1&limit=2", undefined, "limit"],
    ["GET", "/api/terminals/%zz", undefined, "id"],
  ])("%s %s with %s is refused and nothing is asked for", async (method, path, body, field) => {
    const init = body === undefined ? { method } : { method, body };
    const response = await rig.fetch(path, init);
    expect(response.status).toBe(400);
    const { error } = (await response.json()) as { error: { code: string; field?: string } };
    expect([error.code, error.field]).toEqual(["invalid_argument", field]);
    expect(rig.operations.asked).toEqual([]);
  });
});

const BOMBS: readonly (readonly [string, string])[] = [
  ["10⁴ levels of lists", "[".repeat(10_000)],
  ["10⁴ levels of objects", '{"a":'.repeat(10_000)],
  ["half a million levels", "[".repeat(500_000)],
  [
    "10⁵ keys",
    `{${Array.from({ length: 100_000 }, (_, index) => `"${index.toString(36)}":1`).join(",")}}`,
  ],
  ["a prototype", '{"__proto__":{"polluted":true}}'],
  ["a constructor", '{"constructor":{"prototype":{"polluted":true}}}'],
  ["a key twice", '{"id":"terminal:a1","id":"terminal:b2"}'],
  ["a number without end", '{"cols":1e400}'],
  ["half a pair of surrogates", String.raw`{"data":"\ud800"}`],
  ["no JSON", "{"],
];

describe("a bomb", () => {
  test.each(BOMBS)("of %s is refused at every route that takes a body", async (_name, bomb) => {
    for (const row of rig.router.routes.filter(takesBody)) {
      const response = await rig.fetch(addressOf(row), {
        method: row.method,
        headers: { "content-type": "application/json" },
        body: bomb,
      });
      expect([row.name, response.status]).toEqual([row.name, 400]);
      await response.body?.cancel();
    }
    expect(rig.operations.asked).toEqual([]);
    expect(Reflect.get({}, "polluted")).toBeUndefined();
  });

  test("of more than a mebibyte is refused before it is read, at every route", async () => {
    const body = "[".repeat(5_000_000);
    for (const row of rig.router.routes.filter(takesBody)) {
      const response = await rig
        .fetch(addressOf(row), { method: row.method, body })
        .catch(() => undefined);
      // The connection may be closed before everything was sent; the answer can be lost with it then.
      expect(response?.status ?? 413).toBe(413);
    }
    expect(rig.operations.asked).toEqual([]);
    expect((await rig.fetch("/healthz")).status).toBe(200);
  });
});

describe("a failure", () => {
  test("has the status of its code and says what to do", async () => {
    rig.operations.answer = () => {
      throw new NacreError("claim_held", "somebody holds it", { field: "id" });
    };
    const response = await rig.fetch("/api/terminals");
    expect(response.status).toBe(409);
    expect(await response.json()).toMatchObject({
      error: { code: "claim_held", message: "somebody holds it", field: "id" },
    });
    expect(rig.problems).toEqual([]);
  });

  test("that is a bug is reported, and says nothing of itself to the client", async () => {
    rig.operations.answer = () => {
      throw new TypeError("secret canary");
    };
    const response = await rig.fetch("/api/terminals");
    expect(response.status).toBe(500);
    expect(await response.text()).not.toContain("canary");
    expect(rig.problems).toMatchObject([{ message: "secret canary" }]);
  });
});

test("a proof is given to everybody who asks in the right form", async () => {
  rig.admission = undefined;
  const nonce = "n".repeat(22);
  const asked = JSON.stringify({ credential: "0123456789abcdef", nonce });
  expect(await (await rig.post("/api/proof", asked)).json()).toEqual({ proof: nonce });
  const wrong = await rig.post("/api/proof", '{"credential":"x","nonce":"y"}');
  expect([wrong.status, await wrong.json()]).toMatchObject([
    400,
    { error: { field: "credential" } },
  ]);
});
