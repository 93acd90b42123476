// Programs that the real CLI runs, with their output and exit codes passed on.
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { open } from "node:fs/promises";
import { createInterface } from "node:readline";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { PATIENCE, UserScreen } from "./user-screen.ts";

let user: UserScreen;
beforeAll(async () => {
  user = await UserScreen.open();
});
afterAll(async () => {
  await user[Symbol.asyncDispose]();
});

const started = (...args: readonly string[]) => {
  const [node = "", ...words] = (user.environment["NACRE"] ?? "").split(" ");
  return spawn(node, [...words, ...args], {
    env: { ...user.environment },
    cwd: user.home,
    stdio: ["ignore", "pipe", "inherit"],
  });
};

describe("exit codes", () => {
  test.each([
    [["exec", "--", "sh", "-c", "exit 9"], 9],
    [["exec", "sh", "-c", "exit 3"], 3],
    [["exec", "--timeout", "200ms", "--", "sleep", "100"], 124],
    [["exec", "--cwd", "/does/not/exist", "--", "true"], 125],
    [["exec"], 125],
    [["exec", "--", "/etc/passwd"], 126],
    [["exec", "--", "does-not-exist"], 127],
    [["exec", "--", "sh", "-c", "kill -9 $$"], 137],
    [["exec", "--json", "--", "does-not-exist"], 127],
  ] as const)("%j is %d", (args, code) => {
    expect(user.nacre(...args).status).toBe(code);
  });

  test("a line in a shell that is there has them too", () => {
    user.result("new", "--name", "shell");
    expect(user.nacre("run", "shell", "--", "cd /; (exit 6)").status).toBe(6);
    const run = user.nacre("run", "shell", "--", "pwd");
    expect([run.status, run.stdout]).toEqual([0, "/\n"]);
    expect(user.result("run", "shell", "--", "(exit 4)")).toMatchObject({
      exitCode: 4,
      outcome: "ended",
    });
    expect(user.nacre("run", "shell", "--timeout", "100ms", "--", "sleep 1").status).toBe(124);
    expect(user.nacre("run", "none", "--", "true").status).toBe(125);
  });
});

describe("output", () => {
  test("streams stay apart and exact where no terminal is wanted", () => {
    const { stdout, stderr } = user.nacre("exec", "--", "sh", "-c", "printf 'a\\nb'; printf e >&2");
    expect([stdout, stderr]).toEqual(["a\nb", "e"]);
  });

  test("comes while the program runs, and its end by a signal is passed on to it", async () => {
    const line = "trap 'echo told; exit 5' INT; echo up; while :; do sleep 0.05; done";
    const child = started("exec", "--", "sh", "-c", line);
    const lines: string[] = [];
    createInterface(child.stdout).on("line", (text) => lines.push(text));
    await expect.poll(() => lines, PATIENCE).toEqual(["up"]);
    child.kill("SIGINT");
    expect(await once(child, "close")).toEqual([5, null]);
    expect(lines).toEqual(["up", "told"]);
  });

  test("is not waited for when the daemon does not pass a signal on", async () => {
    const child = started("exec", "--", "sh", "-c", "echo up; exec sleep 1000");
    await once(child.stdout, "data");
    const daemon = Number(user.result("status")["pid"]);
    process.kill(daemon, "SIGSTOP");
    try {
      child.kill("SIGTERM");
      expect(await once(child, "exit")).toEqual([125, null]);
    } finally {
      process.kill(daemon, "SIGCONT");
    }
  });

  test("of a daemon that hangs is not waited for", () => {
    user.result("ls");
    const daemon = Number(user.result("status")["pid"]);
    process.kill(daemon, "SIGSTOP");
    try {
      const { status, stderr } = user.nacre("ls");
      expect(status).toBe(7);
      expect(stderr).toContain("runs, but does not answer");
    } finally {
      process.kill(daemon, "SIGCONT");
    }
  });

  test("that cannot be written is told in a sentence", async () => {
    const full = await open("/dev/full", "w");
    const [node = "", ...words] = (user.environment["NACRE"] ?? "").split(" ");
    const { status, stderr } = spawnSync(node, [...words, "ls"], {
      env: { ...user.environment },
      stdio: ["ignore", full.fd, "pipe"],
      encoding: "utf8",
    });
    await full.close();
    expect(status).toBe(1);
    expect(stderr).toMatch(/^nacre: what was to be printed is lost: ENOSPC.*\n$/);
  });

  test("of a program that writes without end, it ends when nobody reads any more", async () => {
    const child = started("exec", "--name", "endless", "--", "yes");
    await once(child.stdout, "data");
    child.stdout.destroy();
    await once(child, "exit");
    await expect.poll(() => user.nacre("ls", "--json").stdout, PATIENCE).not.toContain("endless");
  });

  test("much of it is passed on without a gap", () => {
    const { stdout } = user.nacre("exec", "--", "seq", "1", "60000");
    expect(stdout).toBe(Array.from({ length: 60_000 }, (_, at) => `${at + 1}\n`).join(""));
  });

  test("programs get it with everything else that matters", () => {
    const result = user.result("exec", "-e", "CI=1", "--", "sh", "-c", "echo ci=$CI; exit 2");
    expect(result).toMatchObject({
      output: "ci=1\n",
      exitCode: 2,
      timedOut: false,
      truncated: false,
    });
    expect(result["durationMs"]).toBeTypeOf("number");
    expect(result["terminalId"]).toMatch(/^terminal:/);
  });
});

describe("logs", () => {
  test("are plain lines of what ran, and raw bytes where that is asked for", () => {
    const line = "printf '\\033[31mred\\033[m\\n'; echo two; printf 'x\\rlast'";
    user.nacre("exec", "--tty", "--name", "logged", "--", "sh", "-c", line);
    expect(user.nacre("logs", "logged").stdout).toBe("red\ntwo\nlast\n");
    expect(user.nacre("logs", "--tail", "2", "logged").stdout).toBe("two\nlast\n");
    expect(user.nacre("logs", "--raw", "logged").stdout).toBe(
      "\x1b[31mred\x1b[m\r\ntwo\r\nx\rlast",
    );
    expect(user.nacre("logs", "--since", "1h", "-n", "1", "logged").stdout).toBe("last\n");
    const lines = user.result("logs", "logged")["lines"];
    expect(lines).toMatchObject([{ text: "red" }, { text: "two" }, { text: "last" }]);
  });

  test("are followed to the end of the program", async () => {
    user.result("new", "--name", "talk", "--", "sh", "-c", "echo first; read x; echo second");
    const child = started("logs", "-f", "talk");
    const lines: string[] = [];
    createInterface(child.stdout).on("line", (text) => lines.push(text));
    await expect.poll(() => lines, PATIENCE).toEqual(["first"]);
    user.nacre("send", "talk", "--", "\r");
    expect(await once(child, "close")).toEqual([0, null]);
    expect(lines.at(-1)).toBe("second");
  });
});
