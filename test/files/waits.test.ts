// What `wait` answers with: never with something that was so before the last line was typed.
import { afterAll, beforeAll, expect, test } from "vitest";
import { openServed, type Served } from "./served-directory.ts";

let served: Served;
beforeAll(async () => {
  served = await openServed({ limits: { requestsPerSecond: 1000 } });
});
afterAll(async () => {
  await served[Symbol.asyncDispose]();
});

const END = { until: "command_end", timeout_ms: 20_000 };

async function open(session_id: string): Promise<void> {
  const shell = { shell: "bash", cwd: "/tmp", env: { HOME: "/nonexistent" } };
  expect((await served.agent.ask("create", { session_id, ...shell })).error).toBeNull();
}

/** Begins a command that goes on past the deadline of its request, until a line is typed. */
async function beginSlow(): Promise<void> {
  const slow = { use_current: true, command: "read line; false", timeout_ms: 20_000 };
  expect((await served.agent.ask("exec", slow)).result).toMatchObject({
    still_running: true,
    input_needed: "line",
  });
}

const endSlow = () => served.agent.ask("write", { input: "go\r" });

test("S-F4: wait command_end waits for the command that exec left running, not for one that ended before", async () => {
  const { agent } = served;
  await open("exec-exec");
  expect((await agent.ask("exec", { use_current: true, command: "true" })).result.exit_code).toBe(
    0,
  );
  await beginSlow();
  const early = await agent.ask("wait", { until: "command_end", timeout_ms: 0 });
  expect(early.result).toMatchObject({ outcome: "timeout" });
  await endSlow();
  expect((await agent.ask("wait", END)).result).toMatchObject({
    command: "read line; false",
    exit_code: 1,
  });
  await agent.ask("close");
});

test("S-F4: wait command_end does not answer with a written command that nobody waited for", async () => {
  const { agent } = served;
  await open("write-exec");
  await agent.ask("write", { command: "true # unread" });
  // The shell is at its prompt again: what was written has ended.
  await agent.ask("wait", { until: "prompt", timeout_ms: 20_000 });
  await beginSlow();
  const early = await agent.ask("wait", { until: "command_end", timeout_ms: 0 });
  expect(early.result).toMatchObject({ outcome: "timeout" });
  await endSlow();
  expect((await agent.ask("wait", END)).result).toMatchObject({ exit_code: 1 });
  await agent.ask("close");
});

test("S-F4: a wait that begins while exec runs is not answered with an earlier command", async () => {
  const { agent } = served;
  await open("at-once");
  await agent.ask("exec", { use_current: true, command: "true" });
  await agent.put("exec", {
    request_id: "at-once",
    use_current: true,
    command: "sleep 0.5; (exit 7)",
  });
  await agent.until("status.json", ({ active }) => active.length === 1);
  expect((await agent.ask("wait", END)).result).toMatchObject({ exit_code: 7 });
  expect((await agent.answer("at-once")).result).toMatchObject({ exit_code: 7 });
  await agent.ask("close");
});

test("S-F4: the end that exec told is not told again by wait", async () => {
  const { agent } = served;
  await open("once");
  await agent.ask("exec", { use_current: true, command: "true" });
  const again = await agent.ask("wait", { until: "command_end", timeout_ms: 0 });
  expect(again.result).toMatchObject({ outcome: "timeout" });
  await agent.ask("close");
});

test("S-F4: wait prompt does not answer with the prompt that exec typed its line at", async () => {
  const { agent } = served;
  await open("prompted");
  await agent.ask("wait", { until: "prompt", timeout_ms: 20_000 });
  await beginSlow();
  const early = await agent.ask("wait", { until: "prompt", timeout_ms: 0 });
  expect(early.result).toMatchObject({ outcome: "timeout" });
  await endSlow();
  const late = await agent.ask("wait", { until: "prompt", timeout_ms: 20_000 });
  expect(late.result).toMatchObject({ outcome: "prompt" });
  await agent.ask("close");
});

test("S-F4: a line that was refused does not hide the command before it", async () => {
  const { agent } = served;
  await agent.ask("create", { session_id: "refused", shell: "sh", cwd: "/tmp" });
  await agent.ask("write", { command: "(exit 5)" });
  await agent.ask("wait", { until: "prompt", timeout_ms: 20_000 });
  // This shell takes one line at a time.
  const refused = await agent.ask("exec", { use_current: true, command: "echo a\necho b" });
  expect(refused.error).toMatchObject({ code: "invalid" });
  expect((await agent.ask("wait", END)).result).toMatchObject({ exit_code: 5 });
  await agent.ask("close");
});

test("S-F4: a service that comes back waits for the same command as the one before", async () => {
  const { agent } = served;
  await open("restart");
  await agent.ask("write", { command: "true # unread" });
  await agent.ask("wait", { until: "prompt", timeout_ms: 20_000 });
  await beginSlow();
  await served.restart();
  const early = await agent.ask("wait", {
    session_id: "restart",
    until: "command_end",
    timeout_ms: 0,
  });
  expect(early.result).toMatchObject({ outcome: "timeout" });
  await endSlow();
  expect((await agent.ask("wait", END)).result).toMatchObject({ exit_code: 1 });
  await agent.ask("close");
});
