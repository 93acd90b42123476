import { execFile } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { defaultLaunchPolicy } from "../../packages/host/src/pty/launch.ts";
import { machineProbe } from "../../packages/host/src/pty/shell-detection.ts";
import { CONTROL_NAMES } from "../../packages/host/src/transports/files/control-file-request.ts";
import type { Answered } from "../support/file-agent.ts";
import { ownDirectory } from "../support/own-directory.ts";
import { AGENT, decoded, openServed, type Served } from "./served-directory.ts";

const run = promisify(execFile);

let served: Served;
beforeAll(async () => {
  served = await openServed();
});
afterAll(async () => {
  await served[Symbol.asyncDispose]();
});

const BASH = { shell: "bash", env: { HOME: "/nonexistent" } };

test("one command has its output and its exit code", async () => {
  const { agent } = served;
  const answer = await agent.ask("exec", { command: "printf terminal-ok" });
  expect(answer).toMatchObject({
    ok: true,
    operation: "exec",
    session_id: null,
    error: null,
    result: {
      data_b64: "dGVybWluYWwtb2s=",
      text: "terminal-ok",
      n: 11,
      exit_code: 0,
      eof: true,
      timed_out: false,
      truncated: false,
    },
  });
  await agent.until("status.json", ({ state }) => state === "done");
  expect(agent.read("status.json")).toMatchObject({ tool: "shell_exec", error: null, active: [] });
  expect(agent.read("result.json")).toEqual(answer);
  const routed = await agent.ask("invoke", { op: "exec", arguments: { command: "exit 7" } });
  expect(routed).toMatchObject({ operation: "exec", result: { exit_code: 7 } });
});

test("a session is created, typed into, read, and closed", async () => {
  const { agent } = served;
  const created = await agent.ask("create", { session_id: "build", cwd: ".", ...BASH });
  expect(created).toMatchObject({ ok: true, session_id: "build", result: { state: "open" } });
  expect(agent.read("current.json")).toMatchObject({
    session: { session_id: "build", state: "open", cwd: "/tmp" },
  });
  const typed = { session_id: "build", input: "echo é-$((40+2))", append_newline: true };
  expect((await agent.ask("write", typed)).result).toEqual({ written: 18 });
  let output = "";
  while (!output.includes("é-42")) {
    output += decoded(await agent.ask("read", { timeout_ms: 5000, max_bytes: 65536 }));
  }
  const closed = await agent.ask("close", { session_id: "build" });
  expect(closed).toMatchObject({ ok: true, result: { state: "closed" } });
  expect(agent.read("current.json")).toEqual({ session: null });
  expect(agent.read("sessions.json").sessions).toMatchObject([
    { session_id: "build", state: "closed", write_count: 1 },
  ]);
  const rest = await agent.ask("read", { session_id: "build", cursor: "0" });
  expect(rest).toMatchObject({ ok: true, result: { eof: true, exit_code: null } });
  expect(rest.result.text).toContain("é-42");
});

test("the workflows run word by word in a shell script with printf, mv and cat", async () => {
  using project = ownDirectory();
  const git = (...args: readonly string[]) => run("git", ["-C", project.path, ...args]);
  await git("init", "--quiet");
  const scripts = { test: "expr 21 + 21 | sed 's/^/tests passed: /'" };
  await writeFile(join(project.path, "package.json"), JSON.stringify({ scripts }));
  const caller = { ...AGENT, roots: [project.path] };
  // Whatever the start-up files of this machine do is not what is tested.
  const env = { ...process.env, HOME: project.path };
  const policy = { ...defaultLaunchPolicy("0"), probe: { ...machineProbe(), env } };
  await using own = await openServed({ caller }, { policy });
  const { agent } = own;
  const script = join(import.meta.dirname, "workflows.sh");
  const { stdout } = await run("sh", [script, agent.directory]);
  const [once, routed, created, typed, read, closed, ...files] = stdout.trim().split("\n");
  const answers = [once, routed, created, typed, read, closed].map((line) =>
    JSON.parse(line ?? ""),
  ) as readonly Answered[];
  expect(answers.map(({ ok, operation, session_id }) => [ok, operation, session_id])).toEqual([
    [true, "exec", null],
    [true, "exec", null],
    [true, "create", "build"],
    [true, "write", "build"],
    [true, "read", "build"],
    [true, "close", "build"],
  ]);
  const [first, second] = answers.map(decoded);
  expect([first, second]).toEqual(["?? package.json\n", "?? package.json\n"]);
  expect(answers[0]?.result.exit_code).toBe(0);
  expect(answers[2]?.result.cwd).toBe(project.path);
  expect(answers[3]?.result.written).toBe("npm test".length + 1);
  expect(decoded(answers[4] as Answered)).toContain("tests passed: 42");
  const shown = files.join("");
  expect(shown).toContain('"session": null');
  expect(shown).toContain('"state": "closed"');
});

test("the directory describes itself, truly", async () => {
  const { agent } = served;
  const paths: Record<string, string> = agent.read("OPS.json").paths;
  expect(Object.keys(paths)).toEqual([...CONTROL_NAMES]);
  expect(Object.values(paths).filter((path) => !existsSync(agent.path(path)))).toEqual([]);
  expect(agent.read("CAPS.json")).toMatchObject({ invoke: true, pty: true, sessionized: true });
  for (const name of ["SCHEMA", "RUNTIME", "PERMISSIONS", "STATUS"]) {
    expect(agent.read(`${name}.json`)).toBeInstanceOf(Object);
  }
  const readme = readFileSync(agent.path("README.md"), "utf8");
  const points = ["Choose the right pattern", "deterministic", "`cwd`", "`session_id` stable"];
  for (const point of [...points, "Read after each write"]) expect(readme).toContain(point);
});
