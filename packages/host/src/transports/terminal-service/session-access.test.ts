import { expect, test } from "vitest";
import { TerminalPassword } from "./terminal-password.ts";
import { type RouterRig, startRouter } from "../http/testing/router-rig.ts";
import { ScriptedOperations } from "../http/testing/scripted-operations.ts";
import { sessionRoutes } from "./session-routes.ts";

const HOST = {
  terminals: { running: 1, listed: 1, utilisation: 0.1 },
  limits: { maxTerminals: 10, maxPerOwner: 10, maxCreatesPerSecond: 1 },
};

async function startSessions(options: {
  readonly enabled?: boolean;
  readonly password?: string;
}): Promise<RouterRig> {
  const { enabled = true, password } = options;
  const platform = { platform: "linux", defaultShell: "/bin/sh" };
  const service = { enabled, password: new TerminalPassword({ password }), platform };
  const operations = new ScriptedOperations();
  const foreignRoutes = sessionRoutes({ operations: operations.port, service });
  const rig = await startRouter({ foreignRoutes }, operations);
  rig.operations.answer = (name) =>
    name === "readHost" ? HOST : { terminals: [], truncated: false };
  return rig;
}

const logIn = (rig: RouterRig, password: string) =>
  rig.post("/api/terminal/auth", JSON.stringify({ password }));

const list = async (rig: RouterRig, token?: string): Promise<[number, unknown]> => {
  const headers = token === undefined ? {} : { "x-terminal-token": token };
  const response = await rig.fetch("/api/terminal/sessions", { headers });
  return [response.status, await response.json()];
};

const GUARDED = [
  ["GET", "/sessions"],
  ["POST", "/sessions"],
  ["GET", "/sessions/terminal:a1"],
  ["DELETE", "/sessions/terminal:a1"],
  ["POST", "/sessions/terminal:a1/resize"],
  ["GET", "/settings"],
  ["PUT", "/settings"],
] as const;

test("while it is switched off, everything but status and logout is refused", async () => {
  await using rig = await startSessions({ enabled: false });
  for (const [method, path] of [...GUARDED, ["POST", "/auth"] as const]) {
    const response = await rig.fetch(`/api/terminal${path}`, { method });
    expect([path, response.status, await response.json()]).toEqual([
      path,
      403,
      { success: false, error: "Terminal access is disabled" },
    ]);
  }
  const status = await rig.fetch("/api/terminal/status");
  expect(await status.json()).toEqual({
    success: true,
    data: {
      enabled: false,
      passwordRequired: false,
      platform: { platform: "linux", defaultShell: "/bin/sh" },
      activeSessionCount: 1,
      maxSessions: 10,
      utilization: 0.1,
    },
  });
});

test("without a password everybody is logged in", async () => {
  await using rig = await startSessions({});
  expect(await (await logIn(rig, "any")).json()).toEqual({
    success: true,
    data: { authenticated: true, passwordRequired: false },
  });
  expect(await list(rig)).toEqual([200, { success: true, data: [] }]);
});

test("with a password its token opens, until it is taken back", async () => {
  await using rig = await startSessions({ password: "right" });
  for (const [method, path] of GUARDED) {
    const response = await rig.fetch(`/api/terminal${path}`, { method });
    expect([path, response.status, await response.json()]).toEqual([
      path,
      401,
      { success: false, error: "Terminal authentication required", passwordRequired: true },
    ]);
  }
  expect(rig.operations.asked).toEqual([]);
  const { data } = (await (await logIn(rig, "right")).json()) as { data: { token: string } };
  expect(data).toEqual({
    authenticated: true,
    token: expect.stringMatching(/^term-[\w-]{43}$/) as string,
    expiresIn: 86_400_000,
  });
  expect(await list(rig, data.token)).toEqual([200, { success: true, data: [] }]);
  expect((await rig.fetch(`/api/terminal/sessions?token=${data.token}`)).status).toBe(401);
  const out = await rig.post("/api/terminal/logout", JSON.stringify({ token: data.token }));
  expect(await out.json()).toEqual({ success: true });
  expect((await list(rig, data.token))[0]).toBe(401);
});

test("the header ends a login as the body does, and what is no login can be ended too", async () => {
  await using rig = await startSessions({ password: "right" });
  const { data } = (await (await logIn(rig, "right")).json()) as { data: { token: string } };
  const logout = (headers: Record<string, string>) =>
    rig.fetch("/api/terminal/logout", { method: "POST", headers });
  expect((await logout({})).status).toBe(200);
  expect((await list(rig, data.token))[0]).toBe(200);
  expect((await logout({ "x-terminal-token": data.token })).status).toBe(200);
  expect((await list(rig, data.token))[0]).toBe(401);
});

test("the sixth wrong password in a minute is told to wait, and so is the right one then", async () => {
  await using rig = await startSessions({ password: "right" });
  for (const wrong of ["", "Right", "right ", "x".repeat(1000), "wrong"]) {
    const response = await logIn(rig, wrong);
    expect([response.status, await response.json()]).toEqual([
      401,
      { success: false, error: "Invalid password" },
    ]);
  }
  expect((await logIn(rig, "wrong")).status).toBe(429);
  const late = await logIn(rig, "right");
  expect([late.status, await late.json()]).toMatchObject([429, { success: false, retryAfter: 60 }]);
});

test("what is no text is no password", async () => {
  await using rig = await startSessions({ password: "1" });
  for (const body of ['{"password":1}', "{}", '{"password":["1"]}']) {
    expect((await rig.post("/api/terminal/auth", body)).status).toBe(401);
  }
});
