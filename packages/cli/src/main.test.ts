import { spawnSync } from "node:child_process";
import { chmodSync } from "node:fs";
import { expect, test } from "vitest";
import { KEPT_CODE, MAIN, makeHome } from "./testing/nacre-process.ts";
import { VERBS } from "./verbs.ts";

const home = makeHome();

function nacre(...args: readonly string[]) {
  const env = { ...KEPT_CODE, PATH: process.env["PATH"], HOME: home };
  const { status, stdout, stderr } = spawnSync(process.execPath, [...MAIN, ...args], {
    encoding: "utf8",
    env,
  });
  return { status, stdout, stderr };
}

test("without a verb, every verb is listed", () => {
  const { status, stdout } = nacre();
  expect(status).toBe(0);
  for (const { name } of VERBS) expect(stdout).toMatch(new RegExp(`^  ${name} +[A-Z]`, "m"));
  expect(nacre("--help").stdout).toBe(stdout);
  expect(nacre("help").stdout).toBe(stdout);
});

test("the help of a verb has its options and examples, however it is asked for", () => {
  const { status, stdout } = nacre("ls", "--help");
  expect(status).toBe(0);
  expect(stdout).toContain("Usage: nacre ls [options]");
  expect(stdout).toMatch(/^ {2}-a, --all +Those that have ended too/m);
  expect(stdout).toMatch(/^ {2}nacre ls --json +everything, for programs$/m);
  expect(nacre("help", "list").stdout).toBe(stdout);
  expect(nacre("ps", "--all", "-h").stdout).toBe(stdout);
});

test("the doctor runs a program in a real terminal and a command in a shell, and says so", () => {
  const { status, stdout } = nacre("doctor", "--json");
  expect(status).toBe(0);
  const found = (check: string, pattern: RegExp): unknown =>
    expect.objectContaining({
      check,
      state: "ok",
      found: expect.stringMatching(pattern) as string,
    });
  expect(JSON.parse(stdout)).toMatchObject({
    ok: true,
    command: "doctor",
    result: {
      healthy: true,
      findings: expect.arrayContaining([
        found("terminal", /ran a program/),
        found("bash marks", /flow, with proof/),
        found("permissions", /only you/),
      ]) as unknown,
    },
  });
});

test("the version is that of the package", () => {
  expect(nacre("version").stdout).toMatch(/^nacre \d+\.\d+\.\d+ on Node v24\./);
  expect(nacre("-v").stdout).toBe(nacre("version").stdout);
});

test("a verb may be cut short where only one begins so", () => {
  expect(nacre("vers").stdout).toBe(nacre("version").stdout);
  expect(nacre("s")).toMatchObject({
    status: 2,
    stderr: expect.stringMatching(/^nacre: there is no verb s; .*`serve`.*\?\n/) as string,
  });
});

test("a wrong verb, option or word is a usage error with a next step", () => {
  expect(nacre("frob")).toMatchObject({
    status: 2,
    stdout: "",
    stderr: "nacre: there is no verb frob\n  → Run `nacre --help` for all of them.\n",
  });
  expect(nacre("version", "7").status).toBe(2);
  expect(nacre("serve", "--prot", "7")).toMatchObject({
    status: 2,
    stderr: "nacre: serve: there is no option --prot; --port?\n  → Run `nacre serve --help`.\n",
  });
  for (const words of [
    ["frob", "--json"],
    ["--json", "frob"],
    ["version", "7", "--json"],
  ]) {
    const { status, stdout } = nacre(...words);
    expect(status).toBe(2);
    expect(JSON.parse(stdout)).toMatchObject({ ok: false, error: { code: "invalid_argument" } });
  }
});

test("a daemon that cannot be started says why", () => {
  const open = makeHome();
  chmodSync(open, 0o755);
  const env = { ...KEPT_CODE, PATH: process.env["PATH"], HOME: home, NACRE_HOME: open };
  const { status, stderr } = spawnSync(process.execPath, [...MAIN, "ls"], {
    encoding: "utf8",
    env,
  });
  expect(status).toBe(7);
  expect(stderr).toMatch(/^nacre: no daemon runs, and none could be started: .* has mode 0755/);
});

test("a reader that has had enough is no failure", () => {
  const line = `"${[process.execPath, ...MAIN].join('" "')}" --help | true`;
  const { status, stderr } = spawnSync("bash", ["--norc", "-o", "pipefail", "-c", line], {
    encoding: "utf8",
    env: { PATH: process.env["PATH"] },
  });
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
});
