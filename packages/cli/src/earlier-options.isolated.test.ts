// A daemon that a verb starts is set up as the last one that a person started.
import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { makeHome, nacre, ServeProcess } from "./testing/nacre-process.ts";

/** Such a test starts several daemons, one after the other. */
vi.setConfig({ testTimeout: 90_000 });

const env = { NACRE_ALLOW_ROOT: "true", NACRE_KEEPER: "off" };

interface Status {
  readonly pid: number;
  readonly url: string;
  readonly given: readonly string[];
}

const statusOf = (home: string): Status =>
  (JSON.parse(nacre(["status", "--json"], { home }).stdout) as { result: Status }).result;

test("after a crash the next verb starts a daemon with the options and variables of the one before", async () => {
  const home = makeHome();
  onTestFinished(() => void nacre(["stop"], { home }));
  const secret = { TERMINAL_PASSWORD: "hunter2-canary" };
  const first = await ServeProcess.start(
    { home, env: { ...env, ...secret, NACRE_STOP_GRACE_MS: "123" } },
    "--agent-directory",
    "alice",
  );
  const given = [
    "NACRE_ALLOW_ROOT=true",
    "NACRE_STOP_GRACE_MS=123",
    "NACRE_KEEPER=off",
    "--port=0",
    "--agent-directory=alice",
  ];
  expect(statusOf(home).given).toEqual(given);
  expect(statSync(join(home, "serve.json")).mode & 0o777).toBe(0o600);
  expect(readFileSync(join(home, "serve.json"), "utf8")).not.toContain("canary");
  await first.end("SIGKILL");
  rmSync(join(home, "agents"), { recursive: true });
  expect(nacre(["ls"], { home })).toMatchObject({ status: 0, stderr: "" });
  const next = statusOf(home);
  expect(next.pid).not.toBe(first.pid);
  expect(new URL(next.url).port).toBe(first.url.port);
  expect(existsSync(join(home, "agents/alice/terminal"))).toBe(true);
  expect(next.given).toEqual(given);
  expect(nacre(["status"], { home }).stdout).toContain(`given   ${given.join(" ")}\n`);
  expect(nacre(["restart", "-q"], { home })).toMatchObject({ status: 0, stderr: "" });
  expect(statusOf(home).given).toEqual(given);
});

test("`nacre serve` replaces what was given before", async () => {
  const home = makeHome();
  onTestFinished(() => void nacre(["stop"], { home }));
  {
    await using _first = await ServeProcess.start({ home, env }, "--agent-directory", "alice");
  }
  await using second = await ServeProcess.start({ home, env }, "--log", "debug");
  expect(statusOf(home)).toMatchObject({
    pid: second.pid,
    given: ["NACRE_ALLOW_ROOT=true", "NACRE_KEEPER=off", "--port=0", "--log=debug"],
  });
});

test("options that cannot be read are named, and what to do", () => {
  const home = makeHome();
  writeFileSync(join(home, "serve.json"), "{", { mode: 0o600 });
  const { status, stderr } = nacre(["ls"], { home });
  expect(status).toBe(7);
  expect(stderr).toContain("serve.json does not hold the options of a daemon");
});
