// `nacre mcp` and its daemon: one call does not disturb another, a daemon that was restarted is found, and who leaves leaves everything running.
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { connectLocal } from "@nacre/client/node";
import { expect, test } from "vitest";
import { environmentOf, makeHome, NACRE } from "../support/nacre-program.ts";
import { ToolUser } from "../support/tool-user.ts";
import { serve } from "./served.ts";

test("a call that is given up does not end another", async () => {
  await using served = await serve("stdio");
  const { agent } = served;
  const { terminal_id } = await agent.get("terminal_create", { command: "cat" });
  const waiting = agent.get("terminal_wait", {
    terminal_id,
    until: "text",
    text: "hello",
    timeout_ms: 30_000,
  });
  // This one is left running, which ends its wait and nothing else.
  const left = await agent.get("terminal_exec", { command: "sleep 60", yield_time_ms: 250 });
  expect(left).toMatchObject({ still_running: true });
  const leaving = new AbortController();
  const cancelled = agent.use(
    "terminal_wait",
    { terminal_id, until: "exit", timeout_ms: 30_000 },
    { signal: leaving.signal },
  );
  leaving.abort(new Error("enough"));
  await expect(cancelled).rejects.toThrow("enough");
  await agent.get("terminal_write", { terminal_id, text: "hello", submit: true });
  expect(await waiting).toMatchObject({ outcome: "text" });
}, 60_000);

test("a daemon that was restarted is found by the next call, and what has ended is still read", async () => {
  await using home = makeHome();
  const env = environmentOf(home.path);
  try {
    const { user } = await ToolUser.overStdio(home.path);
    await using agent = user;
    const { terminal_id } = await agent.get("terminal_exec", { command: "echo before" });
    execFileSync(process.execPath, [...NACRE, "stop"], { env });
    expect(await agent.get("terminal_read", { terminal_id })).toMatchObject({ output: "before\n" });
    execFileSync(process.execPath, [...NACRE, "stop"], { env });
    expect(await agent.get("terminal_exec", { command: "echo after" })).toMatchObject({
      output: "after\n",
    });
  } finally {
    execFileSync(process.execPath, [...NACRE, "stop"], { env });
  }
}, 90_000);

test("when its input ends in the middle of a call it ends, and what it started goes on", async () => {
  await using served = await serve("http");
  const env = environmentOf(served.home);
  const child = spawn(process.execPath, [...NACRE, "mcp"], {
    env,
    stdio: ["pipe", "pipe", "inherit"],
  });
  const say = (message: object): void =>
    void child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  const clientInfo = { name: "raw", version: "1" };
  const params = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo };
  say({ id: 1, method: "initialize", params });
  await once(child.stdout, "data");
  say({ method: "notifications/initialized" });
  const given = { command: "echo up; exec sleep 61", yield_time_ms: 30_000 };
  say({ id: 2, method: "tools/call", params: { name: "terminal_exec", arguments: given } });
  using client = await connectLocal({ home: served.home });
  const running = async () =>
    (await client.listTerminals({ state: "active" })).terminals.filter(
      ({ name }) => name === given.command,
    );
  await expect.poll(running, { timeout: 15_000 }).toHaveLength(1);
  const exited = once(child, "exit");
  child.stdin.end();
  expect(await exited).toEqual([0, null]);
  expect(await running()).toHaveLength(1);
}, 60_000);

test("two agents see each other's terminals, and each its own answers", async () => {
  await using served = await serve("stdio");
  const { user } = await ToolUser.overStdio(served.home);
  await using other = user;
  const [one, two] = await Promise.all([
    served.agent.get("terminal_exec", { command: "sleep 0.2; echo one" }),
    other.get("terminal_exec", { command: "sleep 0.2; echo two" }),
  ]);
  expect([one["output"], two["output"]]).toEqual(["one\n", "two\n"]);
  const { terminal_id } = await served.agent.get("terminal_create", { command: "cat" });
  expect(await other.get("terminal_list")).toMatchObject({ terminals: [{ terminal_id }] });
}, 60_000);
