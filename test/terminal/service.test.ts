import { homedir } from "node:os";
import { afterAll, expect, test } from "vitest";
import { getTerminalService } from "@nacre/host";
import { openHost } from "../support/open-host.ts";
import { DEADLINE_MS } from "../support/terminal-output.ts";
import { listenTo, serviceOver } from "./own-service.ts";

const host = await openHost();
afterAll(() => host[Symbol.asyncDispose]());

const DEADLINE = { timeout: DEADLINE_MS, interval: 10 };
const SH = { shell: "/bin/sh", cwd: "/tmp" };

test("there is one service in a process, and it knows its machine", () => {
  const service = getTerminalService();
  expect(getTerminalService()).toBe(service);
  expect(service.getPlatformInfo()).toMatchObject({
    platform: process.platform,
    arch: process.arch,
    isWSL: service.isWSL(),
    defaultShell: service.detectShell().shell,
  });
  expect(service.getAllSessions()).toEqual([]);
  expect(service.getMaxSessions()).toBe(1000);
});

test("a session is created in the directory asked for, and listed in its order", async () => {
  const service = serviceOver(host);
  const first = await service.createSession(SH);
  const second = await service.createSession({ ...SH, cwd: "//tmp" });
  expect(first).toMatchObject({ cwd: "/tmp", shell: "/bin/sh" });
  expect(first?.id).toMatch(/^term-[A-Za-z0-9][A-Za-z0-9_-]{19,}$/);
  expect(first?.createdAt).toBeInstanceOf(Date);
  expect(second).toMatchObject({ cwd: "/tmp" });
  expect(service.getAllSessions()).toEqual(
    [first, second].map((session) => ({
      id: session?.id,
      cwd: "/tmp",
      createdAt: session?.createdAt,
      shell: "/bin/sh",
    })),
  );
  expect(service.getSession(first?.id ?? "")).toBe(first);
  expect(service.getSession("term-unknown")).toBeUndefined();
  expect(service.getSessionCount()).toBe(2);
  await service.cleanup();
  expect(service.getAllSessions()).toEqual([]);
});

test("a session is 80 by 24 unless it is told otherwise, and the usual shell unless it is named", async () => {
  const service = serviceOver(host);
  const told = listenTo(service);
  const usual = await service.createSession({
    cwd: "/tmp",
    shell: "",
    cols: 0,
    rows: 0,
    env: { HOME: "/nonexistent" },
  });
  const wide = await service.createSession({ ...SH, cols: 100, rows: 30 });
  const [usualId, wideId] = [usual?.id ?? "", wide?.id ?? ""];
  expect(usual?.shell).toBe(service.detectShell().shell);
  expect([service.write(usualId, "stty size\r"), service.write(wideId, "stty size\r")]).toEqual([
    true,
    true,
  ]);
  await expect.poll(() => told.get(usualId)?.output, DEADLINE).toContain("24 80");
  await expect.poll(() => told.get(wideId)?.output, DEADLINE).toContain("30 100");
  await service.cleanup();
});

test("callbacks and events get the output and the end, until they are taken away", async () => {
  const service = serviceOver(host);
  const told = listenTo(service);
  const events: string[] = [];
  service.on("data", (id, data) => events.push(data));
  service.once("exit", (id, exitCode) => events.push(`exit ${exitCode}`));
  let removed = "";
  const remove = service.onData((_, data) => {
    removed += data;
  });
  remove();
  const { id } = (await service.createSession(SH)) ?? { id: "" };
  service.write(id, "echo $((6*7)); exit 5\r");
  await expect
    .poll(() => told.get(id)?.ended, DEADLINE)
    .toEqual({ exitCode: 5, signal: undefined });
  expect(told.get(id)?.output).toContain("42");
  expect(events.at(-1)).toBe("exit 5");
  expect(events.slice(0, -1).join("")).toBe(told.get(id)?.output);
  expect(removed).toBe("");
  // A session that ended cannot be asked for any more.
  expect(service.getSession(id)).toBeUndefined();
  expect(service.getScrollback(id)).toBeNull();
  expect(service.write(id, "x")).toBe(false);
});

test("what does not exist cannot be typed into, resized or killed", () => {
  const service = serviceOver(host);
  expect(service.write("term-unknown", "x")).toBe(false);
  expect(service.resize("term-unknown", 80, 24)).toBe(false);
  expect(service.killSession("term-unknown")).toBe(false);
  expect(service.getScrollback("term-unknown")).toBeNull();
  expect(service.getScrollbackAndClearPending("term-unknown")).toBeNull();
});

test("a size that is none is refused, and more than fits at once too", async () => {
  const service = serviceOver(host);
  const { id } = (await service.createSession(SH)) ?? { id: "" };
  for (const [cols, rows] of [
    [0, 24],
    [80, -1],
    [1001, 24],
    [80, 501],
    [80.5, 24],
    [Number.NaN, 24],
  ] as const) {
    expect(service.resize(id, cols, rows)).toBe(false);
  }
  expect(service.resize(id, 100, 30)).toBe(true);
  expect(service.write(id, "x".repeat(1024 * 1024 + 1))).toBe(false);
  expect(service.lastError).toMatchObject({ code: "payload_too_large" });
  await service.cleanup();
});

test("the scrollback has what callbacks were given, and nothing before there is any", async () => {
  const service = serviceOver(host);
  const told = listenTo(service);
  const { id } = (await service.createSession({ ...SH, env: { PS1: "" } })) ?? { id: "" };
  expect(service.getScrollback(id)).toBeNull();
  service.write(id, "echo hi\r");
  await expect.poll(() => service.getScrollback(id), DEADLINE).toContain("hi\r\n");
  expect(service.getScrollback(id)).toBe(told.get(id)?.output);
  expect(service.getScrollbackAndClearPending(id)).toBe(told.get(id)?.output);
  await service.cleanup();
});

test("how many sessions there may be can be set, within bounds", async () => {
  const service = serviceOver(host, 2);
  expect(service.getMaxSessions()).toBe(2);
  const first = await service.createSession(SH);
  await service.createSession(SH);
  expect(await service.createSession(SH)).toBeNull();
  expect(service.lastError).toMatchObject({ code: "limit_reached" });
  for (const wrong of [0, 1001, 1.5, Number.NaN]) service.setMaxSessions(wrong);
  expect(service.getMaxSessions()).toBe(2);
  // One that ended makes room for another.
  service.killSession(first?.id ?? "", 0);
  await expect.poll(() => service.getSessionCount(), DEADLINE).toBe(1);
  expect(await service.createSession(SH)).not.toBeNull();
  service.setMaxSessions(1000);
  expect(service.getMaxSessions()).toBe(1000);
  await service.cleanup();
});

test("what cannot be started is null, and the reason is kept", async () => {
  const service = serviceOver(host);
  expect(await service.createSession({ shell: "/bin/cat" })).toBeNull();
  expect(service.lastError).toMatchObject({ code: "shell_not_allowed" });
  expect(await service.createSession({ ...SH, env: { LD_PRELOAD: "/tmp/x.so" } })).toBeNull();
  expect(service.lastError).toMatchObject({ code: "environment_refused" });
  expect(service.getSessionCount()).toBe(0);
});

test.each([
  ["does not exist", "/no/such/directory"],
  ["is a file", "/etc/passwd"],
  ["has a NUL in it", "/tmp\0/x"],
])("where the directory %s the session is at home, and says so", async (_, cwd) => {
  const service = serviceOver(host);
  const session = await service.createSession({
    shell: "/bin/sh",
    cwd,
    env: { HOME: "/nonexistent" },
  });
  expect(session).toMatchObject({ cwd: homedir(), cwdFallback: true });
  const asked = await service.createSession({ shell: "/bin/sh" });
  expect(asked).toMatchObject({ cwd: homedir() });
  expect(asked).not.toHaveProperty("cwdFallback");
  await service.cleanup();
});

test("cleaning up ends everything, also what is being created, and the service goes on", async () => {
  const service = serviceOver(host);
  const told = listenTo(service);
  const { id } = (await service.createSession(SH)) ?? { id: "" };
  const late = service.createSession(SH);
  await service.cleanup();
  expect(await late).toBeNull();
  expect(service.getSessionCount()).toBe(0);
  expect(told.get(id)?.ended).toEqual({ exitCode: null, signal: "SIGHUP" });
  await expect(service.cleanup()).resolves.toBeUndefined();
  expect(await service.createSession(SH)).not.toBeNull();
  await service.cleanup();
});
