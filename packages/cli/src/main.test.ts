import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";

const MAIN = join(import.meta.dirname, "main.ts");

function nacre(...args: readonly string[]) {
  const node = ["--conditions=nacre-source", MAIN, ...args];
  const { status, stdout, stderr } = spawnSync(process.execPath, node, { encoding: "utf8" });
  return { status, stdout, stderr };
}

test("without a command, every command is listed with an example", () => {
  const { status, stdout } = nacre();
  expect(status).toBe(0);
  expect(stdout).toMatch(/doctor +Check that/);
  expect(stdout).toMatch(/serve +Run the daemon/);
  expect(stdout).toContain("  nacre doctor --json");
});

test("the doctor runs a program in a real terminal and says so", () => {
  const { status, stdout } = nacre("doctor", "--json");
  expect(status).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({
    ok: true,
    command: "doctor",
    result: {
      healthy: true,
      findings: [
        { check: "node" },
        { check: "platform" },
        { check: "shells" },
        { check: "terminal", ok: true, found: expect.stringMatching(/ran a program/) as string },
      ],
    },
  });
  expect(nacre("doctor").stdout).toContain("Terminals work here.");
});

test("the version is that of the package", () => {
  expect(nacre("version").stdout).toMatch(/^nacre \d+\.\d+\.\d+ on Node v24\./);
  expect(nacre("-v").stdout).toBe(nacre("version").stdout);
});

test("a wrong command or argument is a usage error with a next step", () => {
  expect(nacre("frob")).toMatchObject({
    status: 2,
    stdout: "",
    stderr: expect.stringMatching(
      /unknown command frob; one of serve, status, stop, mcp, config, doctor, version\n {2}→ Run `nacre --help`/,
    ) as string,
  });
  expect(nacre("version", "7").status).toBe(2);
  expect(nacre("serve", "--prot", "7")).toMatchObject({
    status: 2,
    stderr: expect.stringMatching(/^nacre: serve: Unknown option '--prot'\n {2}→ Run /) as string,
  });
  const { status, stdout } = nacre("frob", "--json");
  expect(status).toBe(2);
  expect(JSON.parse(stdout)).toMatchObject({ ok: false, error: { code: "invalid_argument" } });
});
