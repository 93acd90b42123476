import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { endKeeper } from "../../packages/host/src/keeper/testing/end-keeper.ts";
import { DaemonProcess } from "../support/daemon-process.ts";
import { FileAgent, found } from "../support/file-agent.ts";
import { ownDirectory } from "../support/own-directory.ts";

/** Starts a daemon that serves the directory of one agent. */
const start = (home: string) =>
  DaemonProcess.start({ home, flags: ["--agent-directory", "ada"], leavesKeeper: true });

/** What killed daemons leave goes with the test. */
const keeperOf = (home: string): AsyncDisposable => ({
  [Symbol.asyncDispose]: () => endKeeper(home),
});

const agentOf = (home: string) => new FileAgent(join(home, "agents/ada/terminal"));

const isThere = (path: string) => () => (existsSync(path) ? { path } : undefined);

test("F-S3: a daemon that is killed while commands run answers each of them with where it runs, and does none again", async () => {
  using place = ownDirectory();
  const home = join(place.path, "home");
  await using _keeper = keeperOf(home);
  const agent = agentOf(home);
  const log = join(place.path, "log");
  const ids = ["k1", "k2", "k3", "k4"];
  const slow = (id: string) => ({
    request_id: id,
    command: `echo ${id} >> ${log}; echo $$ > ${id}.tmp; mv ${id}.tmp ${id}; exec sleep 600`,
    timeout_ms: 600_000,
    cwd: place.path,
  });
  {
    await using daemon = await start(home);
    for (const id of ids) {
      await agent.put("exec", slow(id));
      await found(place.path, isThere(join(place.path, id)));
    }
    // Written again while it runs, and not done again for that.
    await agent.put("exec", slow("k1"));
    expect((await agent.ask("resume")).error?.code).toBe("invalid");
    expect(agent.read("status.json")).toMatchObject({ state: "running" });
    await daemon.end("SIGKILL");
  }
  // Asked for while nobody is there.
  await agent.put("exec", { request_id: "later", command: `echo later >> ${log}`, cwd: "/" });
  await agent.put("invoke", { op: "exec", arguments: { ...slow("k2"), request_id: "k2" } });
  {
    await using daemon = await start(home);
    for (const id of ids) {
      const { error } = await agent.answer(id);
      expect(error).toMatchObject({ code: "unavailable" });
      const [, terminal_id] = /may have been done, or run on as (terminal:\S+)$/.exec(
        error?.message ?? "",
      )!;
      expect(error?.suggestion).toContain(`\`terminal_id\` ${terminal_id}`);
      expect(error?.suggestion).not.toMatch(/try again/i);
      // As the answer advises.
      expect((await agent.ask("read", { terminal_id })).error).toBeNull();
    }
    expect((await agent.answer("later")).result.exit_code).toBe(0);
    await agent.put("exec", slow("k3"));
    await agent.ask("exec", { command: "true", cwd: "/" });
    await daemon.end("SIGKILL");
  }
  await using _daemon = await start(home);
  await agent.ask("exec", { command: "true", cwd: "/" });
  expect(readFileSync(log, "utf8").trim().split("\n").toSorted()).toEqual([...ids, "later"]);
});

test("a daemon that is killed again and again does each request once, whenever that happens", async () => {
  using place = ownDirectory();
  const home = join(place.path, "home");
  await using _keeper = keeperOf(home);
  const agent = agentOf(home);
  const log = join(place.path, "log");
  const ids = Array.from({ length: 6 }, (_, index) => `r${index}`);
  for (const [index, id] of ids.entries()) {
    await using daemon = await start(home);
    const request = { request_id: id, command: `echo ${id} >> ${log}`, cwd: "/" };
    await agent.put("exec", request);
    // Killed as soon as it is written down, as soon as it was done, or as soon as it is answered.
    const moments = [
      () => found(agent.directory, () => (isWrittenDown(agent, id) ? { id } : undefined)),
      () => found(place.path, () => (linesOf(log).includes(id) ? { id } : undefined)),
      () => agent.answer(id),
    ];
    await moments[index % moments.length]?.();
    await daemon.end("SIGKILL");
    await agent.put("exec", request);
  }
  await using _daemon = await start(home);
  for (const id of ids) await agent.answer(id);
  await agent.ask("exec", { command: "true", cwd: "/" });
  const lines = linesOf(log);
  expect(lines).toHaveLength(new Set(lines).size);
  const done = await Promise.all(ids.map((id) => agent.answer(id)));
  const succeeded = done.filter(({ ok }) => ok).map(({ request_id }) => request_id);
  expect(lines).toEqual(expect.arrayContaining(succeeded));
  // Whatever was not done says that it may have been.
  const codes = done.filter(({ ok }) => !ok).map(({ error }) => error?.code);
  expect(new Set([...codes, "unavailable"])).toEqual(new Set(["unavailable"]));
});

test("a session goes on after the daemon was killed, with what it wrote", async () => {
  using place = ownDirectory();
  const home = join(place.path, "home");
  await using _keeper = keeperOf(home);
  const agent = agentOf(home);
  const session = { session_id: "build", shell: "bash", cwd: "/tmp" };
  {
    await using daemon = await start(home);
    expect((await agent.ask("create", session)).error).toBeNull();
    const line = { session_id: "build", command: "echo remembered-$((6*7))" };
    expect((await agent.ask("exec", line)).result.exit_code).toBe(0);
    await daemon.end("SIGKILL");
  }
  await using _daemon = await start(home);
  const read = await agent.ask("read", { session_id: "build", cursor: "0" });
  expect(read.result.text).toContain("remembered-42");
  const more = { session_id: "build", command: "echo and-$((6*8)); (exit 3)" };
  expect(await agent.ask("exec", more)).toMatchObject({ ok: true, result: { exit_code: 3 } });
  expect(agent.read("sessions.json").sessions).toMatchObject([{ state: "open" }]);
});

const linesOf = (path: string): readonly string[] =>
  existsSync(path) ? readFileSync(path, "utf8").trim().split("\n") : [];

function isWrittenDown(agent: FileAgent, id: string): boolean {
  const { running } = agent.read(".state.json");
  const isRunning = running.some(({ request_id }: { request_id: string }) => request_id === id);
  return isRunning || existsSync(agent.path("requests", `${id}.json`));
}
