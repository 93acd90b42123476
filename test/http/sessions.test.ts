import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { HttpRig } from "./http-rig.ts";

let rig: HttpRig;

beforeAll(async () => {
  rig = await HttpRig.open({ host: { limits: { maxTerminals: 3 } } });
});

afterAll(async () => {
  await rig[Symbol.asyncDispose]();
});

afterEach(async () => {
  await Promise.all((await listed()).map(({ id }) => ask("DELETE", `/sessions/${id}`)));
});

interface Session {
  readonly id: string;
  readonly cwd: string;
  readonly shell: string;
  readonly createdAt: string;
}

const ask = (method: string, path: string, body?: unknown, token?: string) =>
  rig.ask(method, `/api/terminal${path}`, { body, token });

async function create(body: unknown = {}): Promise<Session> {
  const answer = await ask("POST", "/sessions", body);
  expect(answer).toMatchObject({ status: 200, body: { success: true } });
  return (answer.body as { data: Session }).data;
}

const listed = async (): Promise<Session[]> =>
  ((await ask("GET", "/sessions")).body as { data: Session[] }).data;

const NOT_FOUND = { status: 404, body: { success: false, error: "Session not found" } };

test("a session is created, listed, read, resized and ended", async () => {
  const session = await create({ cwd: "/tmp", shell: "/bin/bash", cols: 100, rows: 30 });
  expect(session).toEqual({
    id: expect.stringMatching(/^term-[A-Za-z0-9_-]{20,}$/) as string,
    cwd: "/tmp",
    shell: "/bin/bash",
    createdAt: expect.stringMatching(/^\d{4}-.*Z$/) as string,
  });
  expect(await listed()).toMatchObject([{ id: session.id, shell: "/bin/bash" }]);
  const at = `/sessions/${encodeURIComponent(session.id)}`;
  expect((await ask("GET", at)).body).toEqual({ success: true, data: session });
  expect(await ask("POST", `${at}/resize`, { cols: 90, rows: 20 })).toMatchObject({
    status: 200,
    body: { success: true },
  });
  const terminalId = session.id.replace("term-", "terminal:");
  expect((await rig.ask("GET", `/api/terminals/${terminalId}`)).body).toMatchObject({
    cols: 90,
    rows: 20,
  });
  expect(await ask("DELETE", at)).toMatchObject({ status: 200, body: { success: true } });
  expect(await ask("GET", at)).toMatchObject(NOT_FOUND);
  expect(await listed()).toEqual([]);
});

test("nothing has to be said about a session, and a directory that cannot be used is told", async () => {
  const usual = await create({ cwd: "", cols: 0, rows: 0 });
  expect(usual.shell).toBe("/bin/sh");
  const elsewhere = await create({ cwd: "/nowhere/at/all" });
  expect(elsewhere).toMatchObject({ cwdFallback: true, cwd: usual.cwd });
});

test("a session that ended by itself is gone", async () => {
  const { id } = await create({ cwd: "/tmp" });
  const terminal = `/api/terminals/${id.replace("term-", "terminal:")}`;
  await rig.ask("POST", `${terminal}/input`, { body: { data: "exit\r" } });
  await rig.untilEnded(id.replace("term-", "terminal:"));
  expect(await listed()).toEqual([]);
  expect(await ask("GET", `/sessions/${id}`)).toMatchObject(NOT_FOUND);
  const size = { cols: 80, rows: 24 };
  expect(await ask("POST", `/sessions/${id}/resize`, size)).toMatchObject(NOT_FOUND);
  // S-L3: it is still on the list of terminals, and gone for this service all the same.
  expect((await rig.ask("GET", terminal)).status).toBe(200);
  expect(await ask("DELETE", `/sessions/${id}`)).toMatchObject(NOT_FOUND);
  expect((await rig.ask("DELETE", terminal)).status).toBeLessThan(300);
});

test("status tells how full it is", async () => {
  expect(await ask("GET", "/status")).toMatchObject({
    status: 200,
    body: {
      success: true,
      data: {
        enabled: true,
        passwordRequired: false,
        platform: { defaultShell: "/bin/sh" },
        activeSessionCount: 0,
        maxSessions: 3,
        utilization: 0,
      },
    },
  });
});

test("one more session than there may be is refused with how many there are", async () => {
  const sessions = await Promise.all([create(), create(), create()]);
  const answer = await ask("POST", "/sessions", {});
  expect(answer).toMatchObject({
    status: 429,
    body: {
      success: false,
      error: "Maximum terminal sessions reached",
      details: expect.stringContaining("3 of 3") as string,
      currentSessions: 3,
      maxSessions: 3,
    },
  });
  for (const { id } of sessions) await ask("DELETE", `/sessions/${id}`);
  expect(await create()).toMatchObject({ cwd: sessions[0]?.cwd });
});

describe("what is wrong", () => {
  test.each(["terminal:nobody", "term-1700000000000-abc123def", "%2e%2e%2fetc"])(
    "about a session that is not there is not found: %s",
    async (id) => {
      expect(await ask("GET", `/sessions/${id}`)).toMatchObject(NOT_FOUND);
      expect(await ask("DELETE", `/sessions/${id}`)).toMatchObject(NOT_FOUND);
      const size = { cols: 80, rows: 24 };
      expect(await ask("POST", `/sessions/${id}/resize`, size)).toMatchObject(NOT_FOUND);
    },
  );

  test.each([{}, { cols: 80 }, { rows: 24 }, { cols: 0, rows: 24 }])(
    "a resize to %j is refused",
    async (size) => {
      const { id } = await create();
      expect(await ask("POST", `/sessions/${id}/resize`, size)).toMatchObject({
        status: 400,
        body: { success: false, error: "cols and rows are required" },
      });
      // S-L4: the limits of every wire.
      for (const wrong of [
        { cols: 1001, rows: 1 },
        { cols: 1, rows: 501 },
      ]) {
        expect((await ask("POST", `/sessions/${id}/resize`, wrong)).status).toBe(400);
      }
    },
  );

  test.each([
    [{ maxSessions: "5" }, "maxSessions must be a number"],
    [{ maxSessions: 1.5 }, "maxSessions must be an integer"],
    [{ maxSessions: 0 }, "maxSessions must be between 1 and 1000"],
    [{ maxSessions: 1001 }, "maxSessions must be between 1 and 1000"],
  ])("settings of %j are refused and nothing changes", async (settings, error) => {
    expect(await ask("PUT", "/settings", settings)).toMatchObject({
      status: 400,
      body: { success: false, error },
    });
    const kept = { maxSessions: 3, currentSessions: 0 };
    expect((await ask("GET", "/settings")).body).toEqual({ success: true, data: kept });
  });

  test.each([
    [{ shell: "/etc/passwd" }, 400],
    [{ shell: 5 }, 400],
    [{ cols: "80", rows: 24 }, 400],
    [{ cwd: ["/tmp"] }, 400],
  ])("a session of %j is refused and nothing is created", async (body, status) => {
    const answer = await ask("POST", "/sessions", body);
    expect(answer).toMatchObject({ status, body: { success: false } });
    expect(await listed()).toEqual([]);
  });
});

test("S-L2: a session is known by its own name and by that of its terminal", async () => {
  const { id } = await create();
  const terminalId = id.replace("term-", "terminal:");
  expect((await ask("GET", `/sessions/${terminalId}`)).body).toMatchObject({ data: { id } });
  expect(await ask("GET", `/sessions/${id.replace("term-", "")}`)).toMatchObject(NOT_FOUND);
});

test("S-L3: settings without a number change nothing and are answered", async () => {
  const agent = rig.tokenFor("quiet", "agent");
  expect(await ask("PUT", "/settings", {})).toMatchObject({
    status: 200,
    body: { success: true, data: { maxSessions: 3 } },
  });
  expect((await ask("PUT", "/settings", {}, agent)).status).toBe(403);
});

test("settings are changed by an operator only", async () => {
  const agent = rig.tokenFor("agent", "agent");
  expect((await ask("PUT", "/settings", { maxSessions: 5 }, agent)).status).toBe(403);
  expect((await ask("PUT", "/settings", { maxSessions: 4 })).body).toEqual({
    success: true,
    data: { maxSessions: 4, currentSessions: 0 },
  });
  await ask("PUT", "/settings", { maxSessions: 3 });
});

test("an agent has its own sessions and sees no others", async () => {
  const agent = rig.tokenFor("other", "agent");
  const foreign = await create({ cwd: "/tmp" });
  const made = await ask("POST", "/sessions", { cwd: "/tmp", shell: "bash" }, agent);
  const own = (made.body as { data: Session }).data;
  expect(own.shell).toBe("bash");
  expect((await ask("GET", "/sessions", undefined, agent)).body).toMatchObject({
    data: [{ id: own.id }],
  });
  expect(await ask("DELETE", `/sessions/${foreign.id}`, undefined, agent)).toMatchObject(NOT_FOUND);
});

test("a body that is no JSON by its name is refused", async () => {
  const headers = { "content-type": "text/plain" };
  const answer = await rig.ask("POST", "/api/terminal/sessions", { body: "{}", headers });
  expect(answer.status).toBe(415);
});

test("nothing failed that nobody was told of", () => {
  expect(rig.problems).toEqual([]);
});
