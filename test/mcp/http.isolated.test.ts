// The address of MCP as a part of the daemon: behind its gate, and with its limits.
import { request } from "node:http";
import { text } from "node:stream/consumers";
import { connect } from "@nacre/client";
import { TerminalId } from "@nacre/contracts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { ToolUser } from "../support/tool-user.ts";
import { serve, type Served } from "./served.ts";

let served: Served;

beforeAll(async () => {
  served = await serve("http");
}, 30_000);

afterAll(() => served[Symbol.asyncDispose]());

const ask = (init: RequestInit): Promise<Response> =>
  fetch(new URL("/mcp", served.daemon.url), init);

const post = (body: string, headers: Record<string, string> = {}): Promise<Response> =>
  ask({
    method: "POST",
    body,
    headers: {
      authorization: `Bearer ${served.daemon.token}`,
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      ...headers,
    },
  });

const LIST = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" });

test("nobody gets in without a credential, and nothing is kept open for those who only listen", async () => {
  expect((await post(LIST, { authorization: "Bearer nacre_wrong" })).status).toBe(401);
  const headers = { authorization: `Bearer ${served.daemon.token}` };
  for (const method of ["GET", "DELETE"]) {
    const { status, headers: told } = await ask({ method, headers });
    expect([status, told.get("allow")]).toEqual([405, "POST"]);
  }
});

/** A request whose headers are all its own, as no browser lets a page choose them. */
function raw(headers: Record<string, string>): Promise<{ status: number; body: string }> {
  const { hostname, port, host } = new URL(served.daemon.url);
  const { promise, resolve, reject } = Promise.withResolvers<{ status: number; body: string }>();
  const all = {
    host,
    authorization: `Bearer ${served.daemon.token}`,
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
    ...headers,
  };
  const asked = request(
    { hostname, port, path: "/mcp", method: "POST", headers: all },
    (answer) => {
      text(answer).then((body) => resolve({ status: answer.statusCode ?? 0, body }), reject);
    },
  );
  asked.on("error", reject);
  asked.end(LIST);
  return promise;
}

test.each([
  ["a page of another site", { origin: "https://evil.example" }],
  ["a page without an origin", { origin: "null" }],
  ["a page of another port", { origin: "http://127.0.0.1:1" }],
  ["another name for this machine", { host: "evil.example" }],
  ["another port of this machine", { host: "127.0.0.1:1" }],
])("%s gets nothing, whatever credential it has", async (_, headers) => {
  const { status, body } = await raw(headers);
  expect(status === 403 || status === 421).toBe(true);
  expect(body).not.toContain("terminal_exec");
  expect((await raw({})).status).toBe(200);
});

test("a caller has only so many answers under way, and gets the next when one has ended", async () => {
  const operator = connect({ url: served.daemon.url, token: served.daemon.token });
  const { token } = await operator.createToken({
    name: "many",
    scope: "agent",
    owner: { entityName: "Agent", entityId: "many" },
  });
  await using agent = await ToolUser.overHttp(served.daemon.url, token);
  const { terminal_id } = await agent.get("terminal_create", { command: "cat" });
  const leaving = new AbortController();
  const asked = { terminal_id, until: "exit", timeout_ms: 60_000 };
  // More than may be under way, and few enough that a cancellation of each still finds a connection.
  const many = Array.from({ length: 48 }, () =>
    agent.use("terminal_wait", asked, { signal: leaving.signal }),
  );
  const first = await Promise.race(many.map((one) => one.catch((error: unknown) => error)));
  expect(String(first)).toMatch(/429|limit/);
  leaving.abort(new Error("enough"));
  await Promise.allSettled(many);
  const again = async () => (await agent.get("terminal_list"))["terminals"];
  await expect.poll(() => again().catch(() => []), { timeout: 15_000 }).toHaveLength(1);
  await operator.disposeTerminal({ id: TerminalId.parse(terminal_id) });
}, 60_000);

test("answers have the headers that every answer has", async () => {
  const answer = await post(LIST);
  expect(answer.status).toBe(200);
  expect(answer.headers.get("cache-control")).toBe("no-store");
  expect(answer.headers.get("x-content-type-options")).toBe("nosniff");
  expect(await answer.text()).toContain("terminal_exec");
});

test.each([
  ["a body that is no JSON", "{", 400, -32_700],
  ["a batch", `[${LIST}]`, 400, -32_600],
  ["a body that is no object", "1", 400, -32_600],
  ["one that is nested too deeply", `${'{"a":'.repeat(100)}1${"}".repeat(100)}`, 400, -32_700],
  ["one that would change every object", '{"__proto__":{"polluted":1}}', 400, -32_700],
  ["one that is too large", JSON.stringify({ text: "x".repeat(1024 * 1024) }), 413, -32_600],
])("S-L13: %s is refused in the words of JSON-RPC", async (_, body, status, code) => {
  const answer = await post(body);
  expect(answer.status).toBe(status);
  expect(await answer.json()).toMatchObject({
    jsonrpc: "2.0",
    id: null,
    error: { code, message: expect.any(String) as string },
  });
});

test("S-L13: the version that has batches is not agreed on", async () => {
  const agreed = async (protocolVersion: string) => {
    const params = { protocolVersion, capabilities: {}, clientInfo: { name: "t", version: "1" } };
    const body = { jsonrpc: "2.0", id: 1, method: "initialize", params };
    const [, version] = /"protocolVersion":"([^"]+)"/.exec(
      await (await post(JSON.stringify(body))).text(),
    ) ?? [""];
    return version;
  };
  expect(await agreed("2025-06-18")).toBe("2025-06-18");
  expect(await agreed("2025-03-26")).not.toBe("2025-03-26");
});

test("a caller does with tools what it may do without them, and the audit says by which way", async () => {
  const operator = connect({ url: served.daemon.url, token: served.daemon.token });
  const { token } = await operator.createToken({ name: "reader", scope: "readOnly" });
  await using reader = await ToolUser.overHttp(served.daemon.url, token);
  const { isError, text: told } = await reader.use("terminal_exec", { command: "true" });
  expect(isError).toBe(true);
  expect(JSON.parse(told)).toMatchObject({ error: { code: "forbidden" } });
  expect(await reader.get("terminal_list")).toMatchObject({ terminals: [] });
  const { records } = await operator.listAudit({ limit: 1000 });
  expect(records).toContainEqual(
    expect.objectContaining({
      action: "execCommand",
      caller: "reader",
      via: "mcp",
      outcome: "forbidden",
    }),
  );
});
