import {
  existsSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { watch } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { NacreError } from "@nacre/contracts";
import { expect, test } from "vitest";
import { defaultConfig } from "../config/config.ts";
import { findDirectories } from "../config/directories.ts";
import { createHost } from "../host.ts";
import { serveAgentDirectories } from "./agent-directories.ts";
import { startDaemon } from "./main.ts";

/** A home that goes with the test. */
function ownHome(): { readonly path: string } & Disposable {
  const path = mkdtempSync(join(tmpdir(), "nacre-daemon-"));
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) };
}

/** Starts a daemon that serves the directories of two agents. */
const start = (home: string) =>
  startDaemon({
    config: { ...defaultConfig(), port: 0, agentDirectories: ["ada", "bob"] },
    directories: findDirectories({ NACRE_HOME: home }, "/nowhere"),
    version: "0.0.0-test",
    log: () => {},
  });

/** Asks by the files of an agent, and resolves with the answer. */
async function ask(directory: string, op: string, args: object): Promise<Record<string, unknown>> {
  const id = `r${Math.random().toString(36).slice(2)}`;
  const changes = watch(join(directory, "requests"))[Symbol.asyncIterator]();
  const first = changes.next();
  const text = JSON.stringify({ op, arguments: args, request_id: id });
  writeFileSync(join(directory, "draft"), text);
  renameSync(join(directory, "draft"), join(directory, "control/invoke.json"));
  const answer = join(directory, "requests", `${id}.json`);
  await first;
  while (!existsSync(answer)) await changes.next();
  await changes.return?.();
  return JSON.parse(readFileSync(answer, "utf8")) as Record<string, unknown>;
}

test("each agent that the settings name has a directory of its own, and only its own terminals", async () => {
  using home = ownHome();
  await using _daemon = await start(home.path);
  const [ada, bob] = ["ada", "bob"].map((name) => join(home.path, "agents", name, "terminal"));
  expect(statSync(ada ?? "").mode & 0o777).toBe(0o700);
  const told = JSON.parse(readFileSync(join(ada ?? "", "CAPS.json"), "utf8"));
  expect(told).toMatchObject({ interactive: true, sessionized: true, pty: true });
  const ran = await ask(ada ?? "", "exec", { command: "echo hello", cwd: "/tmp" });
  expect(ran).toMatchObject({ ok: true, result: { text: "hello\n", exit_code: 0 } });
  const { terminal_id } = ran["result"] as { terminal_id: string };
  const read = await ask(ada ?? "", "read", { terminal_id });
  expect(read).toMatchObject({ ok: true, result: { text: "hello\n" } });
  const others = await ask(bob ?? "", "read", { terminal_id });
  expect(others).toMatchObject({ ok: false, error: { code: "enoent" } });
});

test("what a session wrote can be read after the daemon came back", async () => {
  using home = ownHome();
  const directory = join(home.path, "agents/ada/terminal");
  const kept = { session_id: "kept", cwd: "/tmp", shell: "bash", env: { HOME: "/nonexistent" } };
  {
    await using _daemon = await start(home.path);
    expect(await ask(directory, "create", kept)).toMatchObject({ ok: true });
    const line = { session_id: "kept", command: "echo remembered" };
    expect(await ask(directory, "exec", line)).toMatchObject({ result: { exit_code: 0 } });
  }
  await using _daemon = await start(home.path);
  const read = await ask(directory, "read", { session_id: "kept" });
  expect(read).toMatchObject({ ok: true, result: { eof: true } });
  expect(JSON.stringify(read)).toContain("remembered");
  const typed = await ask(directory, "write", { session_id: "kept", input: "x" });
  expect(typed).toMatchObject({ ok: false, error: { code: "eperm" } });
  expect(await ask(directory, "create", kept)).toMatchObject({ ok: true });
});

test("an agent is told from the start that a machine has no terminals", async () => {
  using home = ownHome();
  await using host = await createHost();
  await using _served = await serveAgentDirectories({
    config: { ...defaultConfig(), agentDirectories: ["ada"] },
    directories: findDirectories({ NACRE_HOME: home.path }, "/nowhere"),
    operations: host.operations,
    handleProblem: () => {},
    driver: {
      name: "none",
      spawn: () => Promise.reject(new NacreError("pty_unavailable", "there is no /dev/ptmx")),
      list: () => Promise.resolve([]),
      adopt: () => Promise.reject(new Error("there is none")),
    },
  });
  const directory = join(home.path, "agents/ada/terminal");
  const flags = { interactive: false, sessionized: false, pty: false, operations: ["shell_exec"] };
  expect(JSON.parse(readFileSync(join(directory, "CAPS.json"), "utf8"))).toMatchObject(flags);
  expect(await ask(directory, "create", {})).toMatchObject({ error: { code: "unsupported" } });
});
