import { rm, writeFile } from "node:fs/promises";
import { type ErrorCode, NacreError } from "@nacre/contracts";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { serveControlDirectory } from "../../packages/host/src/transports/files/serve-control-directory.ts";
import type { ControlOperations } from "../../packages/host/src/transports/files/session-operations.ts";
import { FileAgent } from "../support/file-agent.ts";
import { ownDirectory } from "../support/own-directory.ts";
import { AGENT, openServed, type Served } from "./served-directory.ts";

let served: Served;
beforeAll(async () => {
  served = await openServed({ limits: { requestsPerSecond: 1000, incompleteMs: 100 } });
});
afterAll(async () => {
  await served[Symbol.asyncDispose]();
});

test.each([
  ["write", { session_id: "none", input: "x" }, "enoent", "session_id"],
  ["write", { input: "x", data_b64: "eA==" }, "invalid", "data_b64"],
  ["write", {}, "invalid", "input"],
  ["write", { data_b64: "?" }, "invalid", "data_b64"],
  ["read", { max_bytes: 0 }, "invalid", "max_bytes"],
  ["read", { max_bytes: 1048577 }, "invalid", "max_bytes"],
  ["read", { cursor: "../x" }, "invalid", "cursor"],
  ["read", { terminal_id: "terminal:other" }, "enoent", "id"],
  ["resize", { cols: 0, rows: 24 }, "invalid", "cols"],
  ["create", { cwd: "/nonexistent" }, "eperm", "workingDirectory"],
  ["create", { cwd: "/tmp/nonexistent-nacre" }, "enoent", "workingDirectory"],
  ["create", { cwd: "../etc" }, "eperm", "workingDirectory"],
  ["create", { shell: "/bin/sh; id" }, "invalid", "shell"],
  ["create", { session_id: "../x" }, "invalid", "session_id"],
  ["exec", {}, "invalid", "command"],
  ["exec", { command: "printf safe\u0003; echo INJECTED" }, "invalid", "command"],
  ["exec", { command: "echo", extra: 1 }, "invalid", "extra"],
  ["exec", { command: "echo", session_id: "none" }, "enoent", "session_id"],
  ["exec", { command: "echo", session_id: "none", cwd: "/" }, "invalid", "cwd"],
  ["wait", { until: "never" }, "invalid", "until"],
  ["invoke", { op: "format_disk" }, "invalid", "op"],
  ["invoke", { op: "exec", arguments: { command: 7 } }, "invalid", "command"],
])("%s %j is %s and names %s", async (name, payload, code, field) => {
  const { ok, result, error } = await served.agent.ask(name, payload);
  expect({ ok, result, code: error?.code, field: error?.field }).toEqual({
    ok: false,
    result: null,
    code,
    field,
  });
});

test.each(["{", "[1]", '"text"', "{}}", "\u0000", '{"command":"a","command":"b"}', "  "])(
  "%j is answered with a fresh result",
  async (text) => {
    const { agent } = served;
    await agent.ask("exec", { command: "true" });
    await agent.put("exec", text);
    const refused = await agent.result(({ ok }) => !ok);
    expect(refused).toMatchObject({ operation: "exec", error: { code: "invalid" } });
    await agent.until("status.json", ({ state }) => state === "failed");
  },
);

test("null counts as absent, and aliases are understood", async () => {
  const { agent } = served;
  const bare = await agent.ask("invoke", { command: "printf 1", cwd: null });
  const tool = await agent.ask("invoke", { tool: "shell_exec", args: { argv: ["printf", "2"] } });
  const named = await agent.ask("invoke", {
    operation: "terminal_session_close",
    arguments: { session_id: "none" },
  });
  expect([bare.result.text, tool.result.text, named.error?.code]).toEqual(["1", "2", "enoent"]);
});

test("no name leads out of the directory", async () => {
  const { agent } = served;
  const name = fc.oneof(
    fc.constantFrom(
      "..",
      "../../x",
      "%2e%2e/x",
      "a/b",
      "a\\b",
      "__proto__",
      "con\u0000",
      ".",
      "-x",
    ),
    fc
      .string({ maxLength: 80, unit: "binary" })
      .filter((text) => !/^[A-Za-z0-9][\w-]*$/.test(text)),
  );
  await fc.assert(
    fc.asyncProperty(name, name, async (session_id, request_id) => {
      const session = await agent.ask("resume", { session_id });
      expect(session.error?.code).toBe("invalid");
      await agent.put("resume", { session_id: `s${Math.random()}`, request_id });
      const refused = await agent.result(({ request_id: id }) => id !== session.request_id);
      expect(refused.error?.code).toBe("invalid");
    }),
    { numRuns: 40 },
  );
});

describe("permissions", () => {
  test.each([
    ["", "exec"],
    ["{", "exec"],
    ['{"default":"allow-by-default","allow_roles":["user"],"scope":"agent"}', "exec"],
    ['{"default":"deny-by-default","allow_roles":["agent"],"scope":"agent"}', "exec"],
    [
      '{"default":"allow-by-default","allow_roles":["agent"],"scope":"agent","operations":{"exec":"deny"}}',
      "exec",
    ],
    ['{"default":"allow-by-default","allow_roles":["agent"],"scope":"agent","unknown":1}', "exec"],
  ])("%s does not allow %s", async (text, name) => {
    const { agent } = served;
    const path = agent.path("PERMISSIONS.json");
    await writeFile(path, text);
    expect((await agent.ask(name, { command: "true" })).error?.code).toBe("eperm");
    await rm(path);
    expect((await agent.ask(name, { command: "true" })).error?.code).toBe("eperm");
  });

  test("what is allowed by name is allowed", async () => {
    const { agent } = served;
    const permissions = { default: "deny-by-default", allow_roles: ["agent"], scope: "agent" };
    const operations = { exec: "allow" };
    await writeFile(agent.path("PERMISSIONS.json"), JSON.stringify({ ...permissions, operations }));
    expect((await agent.ask("exec", { command: "true" })).ok).toBe(true);
    expect((await agent.ask("create")).error?.code).toBe("eperm");
  });
});

test("each class of failure reaches the agent", async () => {
  using place = ownDirectory();
  const codes: readonly ErrorCode[] = [
    "terminal_not_found",
    "forbidden",
    "invalid_argument",
    "unsupported",
    "unavailable",
    "conflict",
    "timeout",
    "limit_reached",
  ];
  const left = [...codes];
  await using _service = await serveControlDirectory({
    directory: `${place.path}/terminal`,
    caller: AGENT,
    operations: {
      call: () => Promise.reject(new NacreError(left.shift() ?? "internal", "as told")),
    },
    handleProblem: () => undefined,
  });
  const agent = new FileAgent(`${place.path}/terminal`);
  const told: unknown[] = [];
  for (const _code of codes) told.push((await agent.ask("exec", { command: "x" })).error?.code);
  expect(told).toEqual([
    "enoent",
    "eperm",
    "invalid",
    "unsupported",
    "unavailable",
    "busy",
    "timeout",
    "limit",
  ]);
});

test("a session of which nothing is left can be closed, and its name is free", async () => {
  using place = ownDirectory();
  let terminals = 0;
  const call = ((name) =>
    name === "createTerminal"
      ? Promise.resolve({ id: `terminal:${++terminals}`, cwd: "/tmp", cols: 80, rows: 24 })
      : Promise.reject(new NacreError("terminal_not_found", "gone"))) as ControlOperations["call"];
  await using _service = await serveControlDirectory({
    directory: `${place.path}/terminal`,
    caller: AGENT,
    operations: { call },
    handleProblem: () => undefined,
  });
  const agent = new FileAgent(`${place.path}/terminal`);
  await agent.ask("create", { session_id: "lost" });
  await agent.until("sessions.json", ({ sessions }) => sessions[0].state === "closed");
  expect((await agent.ask("write", { session_id: "lost", input: "x" })).error?.code).toBe("eperm");
  expect((await agent.ask("close", { session_id: "lost" })).ok).toBe(true);
  expect((await agent.ask("create", { session_id: "lost" })).ok).toBe(true);
});

test("a machine without terminals says so, and still executes", async () => {
  await using without = await openServed({ hasTerminals: false });
  const { agent } = without;
  const flags = { interactive: false, sessionized: false, pty: false };
  expect(agent.read("CAPS.json")).toMatchObject({ ...flags, operations: ["shell_exec"] });
  expect((await agent.ask("create")).error?.code).toBe("unsupported");
  expect((await agent.ask("exec", { command: "echo 1" })).result.text).toBe("1\n");
});
