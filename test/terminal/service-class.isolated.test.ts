// The class as programs make it themselves, with what the environment says of its bounds.
import { mkdir, realpath, symlink } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, expect, test, vi } from "vitest";
import {
  getTerminalService,
  MAX_MAX_SESSIONS,
  MIN_MAX_SESSIONS,
  TerminalService,
} from "@nacre/host";
import { ownDirectory } from "../support/own-directory.ts";
import { DEADLINE_MS } from "../support/terminal-output.ts";

afterEach(() => vi.unstubAllEnvs());

const DEADLINE = { timeout: DEADLINE_MS, interval: 10 };
const SH = { shell: "/bin/sh", env: { HOME: "/nonexistent" } };

test("S-F3: the roots of the environment hold for sessions in the process", async () => {
  using place = ownDirectory();
  const root = join(await realpath(place.path), "root");
  for (const name of ["..foo", "inner"]) await mkdir(join(root, name), { recursive: true });
  await symlink("/etc", join(root, "out"));
  vi.stubEnv("ALLOWED_ROOT_DIRECTORY", root);
  const service = new TerminalService();
  const outside = ["/etc", "//etc", join(root, "out"), join(root, "../.."), `${root}x`];
  for (const cwd of outside) {
    expect([cwd, await service.createSession({ ...SH, cwd })]).toEqual([cwd, null]);
    expect(service.lastError).toMatchObject({ code: expect.stringMatching(/^cwd_/) as string });
  }
  const inside = [root, join(root, "..foo"), ` ${join(root, "inner")} `, `/${root}`];
  const started = [];
  for (const cwd of inside) started.push((await service.createSession({ ...SH, cwd }))?.cwd);
  expect(started).toEqual([root, join(root, "..foo"), join(root, "inner"), root]);
  // Home is outside, so that the root stands in for it.
  expect(await service.createSession(SH)).toMatchObject({ cwd: root });
  await service.cleanup();
});

test("S-L16: DATA_DIR is allowed beside the root, as a link out of it is not", async () => {
  using place = ownDirectory();
  const base = await realpath(place.path);
  const [root, data] = [join(base, "root"), join(base, "data")];
  for (const path of [root, data]) await mkdir(path);
  await symlink("/etc", join(data, "out"));
  vi.stubEnv("ALLOWED_ROOT_DIRECTORY", root);
  vi.stubEnv("DATA_DIR", data);
  const service = new TerminalService();
  expect(await service.createSession({ ...SH, cwd: data })).toMatchObject({ cwd: data });
  expect(await service.createSession({ ...SH, cwd: join(data, "out") })).toBeNull();
  await service.cleanup();
});

test("S-L5: a program makes services of its own, apart from that of the process", async () => {
  vi.stubEnv("TERMINAL_MAX_SESSIONS", "3");
  const service = new TerminalService();
  expect(service).toBeInstanceOf(TerminalService);
  expect(getTerminalService()).toBeInstanceOf(TerminalService);
  expect(service).not.toBe(getTerminalService());
  expect([MIN_MAX_SESSIONS, MAX_MAX_SESSIONS, service.getMaxSessions()]).toEqual([1, 1000, 3]);
  expect(await service.createSession({ ...SH, cwd: "/tmp" })).not.toBeNull();
  expect([service.getSessionCount(), getTerminalService().getSessionCount()]).toEqual([1, 0]);
  await service.cleanup();
});

test("S-L5: a session has the state that programs look at, and a pty by the names of node-pty", async () => {
  const service = new TerminalService({ allowedRoots: [] });
  const session = await service.createSession({ ...SH, cwd: "/tmp", cols: 90, rows: 20 });
  if (!session) throw service.lastError;
  const { pty } = session;
  let heard = "";
  const listening = pty.onData((data) => {
    heard += data;
  });
  const ended = Promise.withResolvers<unknown>();
  pty.onExit(ended.resolve);
  pty.write("echo $((6*7)) $$\r");
  await expect.poll(() => session.scrollbackBuffer, DEADLINE).toContain(`42 ${pty.pid}`);
  expect(heard).toContain(`42 ${pty.pid}`);
  expect(session.scrollbackBuffer).toBe(service.getScrollback(session.id));
  expect(session).toMatchObject({
    outputBuffer: "",
    flushTimeout: null,
    resizeInProgress: false,
    resizeDebounceTimeout: null,
  });
  pty.resize(100, 30);
  expect(session.resizeInProgress).toBe(true);
  await expect.poll(() => [pty.cols, pty.rows], DEADLINE).toEqual([100, 30]);
  await expect.poll(() => session.resizeInProgress, DEADLINE).toBe(false);
  listening.dispose();
  pty.kill("SIGKILL");
  expect(await ended.promise).toEqual({ exitCode: null, signal: "SIGKILL" });
  await service.cleanup();
});
