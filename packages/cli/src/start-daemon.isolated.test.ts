import { ChildProcess } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { isRestarting, markRestart } from "./restart-settings.ts";
import { findOrStartDaemon, startFailure, withoutTerminal } from "./start-daemon.ts";

test("a daemon does not carry the mark of the terminal that it was started from", () => {
  const env = {
    PATH: "/bin",
    NACRE_HOME: "/x",
    NACRE_PTY_ID: "1",
    NACRE_TERMINAL_ID: "terminal:1",
  };
  expect(withoutTerminal(env)).toEqual({ PATH: "/bin", NACRE_HOME: "/x" });
});

const WARNING = "nacre: runs as root, and so do its terminals; --allow-root if that is meant\n";

test("why a daemon did not start is what it said last, not a warning before that", () => {
  expect(startFailure(`${WARNING}nacre: the port is taken\n  → Choose another.\n`)).toMatchObject({
    code: "unavailable",
    message: "no daemon runs, and none could be started: the port is taken",
  });
  const stack = "node:fs:1\n  throw\n\nTypeError: x is not a function\n    at y (z.js:1:2)\n";
  expect(startFailure(WARNING + stack).message).toContain(
    "started: TypeError: x is not a function",
  );
  expect(startFailure("").message).toBe("no daemon runs, and none could be started");
});

test("a full disk that kept a daemon from starting is told as such, with what to do", () => {
  const said = "nacre: the disk is full: /run/daemon.json cannot be written\n  → Make room.\n";
  expect(startFailure(WARNING + said)).toMatchObject({
    code: "recording_blocked",
    message: expect.stringContaining("the disk is full: /run/daemon.json") as string,
    suggestion: "Make room.",
  });
});

describe("in a home of its own", () => {
  let home = "";
  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), "nacre-restarting-"));
    mkdirSync(join(home, "run"), { mode: 0o700 });
    vi.stubEnv("NACRE_HOME", home);
  });
  afterEach(() => {
    vi.unstubAllEnvs();
    rmSync(home, { recursive: true });
  });

  /** Says that this process is a daemon. */
  function publish(): void {
    const endpoints = { socket: join(home, "run/nacre.sock"), http: { url: "http://127.0.0.1:7" } };
    const stat = readFileSync("/proc/self/stat", "utf8");
    const startTime = Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19]);
    const discovery = { schemaVersion: 1, pid: process.pid, startTime, endpoints, token: "t" };
    writeFileSync(join(home, "run/daemon.json"), JSON.stringify(discovery), { mode: 0o600 });
  }

  test("a daemon that is there when one's own has ended is found, whoever started it", async () => {
    let isAsked = false;
    const found = await findOrStartDaemon(undefined, {
      isRestarting: () => Promise.resolve(false),
      spawnDaemon: () =>
        Object.defineProperty(new ChildProcess(), "exitCode", {
          get: () => {
            if (!isAsked) publish();
            isAsked = true;
            return 1;
          },
        }),
    });
    expect(found).toMatchObject({ url: "http://127.0.0.1:7" });
    expect(isAsked).toBe(true);
  });

  test("while somebody restarts the daemon nobody else starts one, and all find the one that comes", async () => {
    let looks = 0;
    const found = await findOrStartDaemon(undefined, {
      isRestarting: () => {
        if (++looks === 3) publish();
        return Promise.resolve(true);
      },
      spawnDaemon: () => expect.fail("one was started"),
    });
    expect(found).toMatchObject({ url: "http://127.0.0.1:7" });
    expect(looks).toBe(3);
  });

  test("the daemon is restarted only until that is over, or took too long", async () => {
    expect(await isRestarting()).toBe(false);
    const mark = markRestart();
    expect(await isRestarting()).toBe(true);
    const longAgo = Date.now() / 1000 - 121;
    utimesSync(join(home, `run/restarting-${process.pid}`), longAgo, longAgo);
    expect(await isRestarting()).toBe(false);
    mark[Symbol.dispose]();
    expect(await isRestarting()).toBe(false);
    writeFileSync(join(home, "run/restarting-4194305"), "");
    expect(await isRestarting()).toBe(false);
  });
});
