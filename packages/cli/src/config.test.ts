import { writeFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { makeHome, nacre } from "./testing/nacre-process.ts";

test("every setting is shown with its source, and no secret", () => {
  const home = makeHome();
  const file = join(home, "config.json");
  writeFileSync(file, JSON.stringify({ maxTerminals: 5 }), { mode: 0o600 });
  const env = { NACRE_PORT: "1234", TERMINAL_PASSWORD: "hunter2" };
  const { status, stdout } = nacre(["config"], { home, env });
  expect(status).toBe(0);
  expect(stdout).toMatch(/^port +1234 +NACRE_PORT$/m);
  expect(stdout).toMatch(new RegExp(`^maxTerminals +5 +${file}$`, "m"));
  expect(stdout).toMatch(/^terminalServicePassword +\*\*\* +TERMINAL_PASSWORD$/m);
  expect(stdout).toMatch(/^host +127\.0\.0\.1 +default$/m);
  const json = nacre(["config", "--json"], { home, env }).stdout;
  expect(JSON.parse(json)).toMatchObject({ ok: true, result: { file, home } });
  expect(stdout + json).not.toContain("hunter2");
});

test("a wrong setting ends serve before anything is made", () => {
  const home = makeHome();
  writeFileSync(join(home, "config.json"), JSON.stringify({ prot: 1 }), { mode: 0o600 });
  const { status, stderr } = nacre(["serve"], { home });
  expect(status).toBe(2);
  expect(stderr).toContain(`${join(home, "config.json")}: there is no setting prot`);
});

test("a daemon that does not run is said so, with what to do and nothing that acts on a terminal", () => {
  const home = makeHome();
  const env = { NACRE_HOME: `${home}/\u001B]0;evil\u0007\u202E` };
  mkdirSync(env.NACRE_HOME, { mode: 0o700 });
  expect(nacre(["status"], { home, env })).toMatchObject({
    status: 7,
    stdout: "",
    stderr: `nacre: no daemon runs for ${home}/\\u001b]0;evil\\u0007\\u202e\n  → Start one with \`nacre serve\`.\n`,
  });
  const { status, stdout } = nacre(["status", "--json"], { home, env });
  expect(status).toBe(7);
  expect(stdout).not.toMatch(/\u202E/);
  expect(JSON.parse(stdout)).toMatchObject({
    ok: false,
    error: { code: "unavailable", suggestion: "Start one with `nacre serve`." },
  });
});
