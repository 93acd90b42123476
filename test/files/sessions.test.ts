import { writeFile } from "node:fs/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { defaultLaunchPolicy } from "../../packages/host/src/pty/launch.ts";
import { ownDirectory } from "../support/own-directory.ts";
import { decoded, openServed, type Served } from "./served-directory.ts";

let served: Served;
beforeAll(async () => {
  served = await openServed({ limits: { requestsPerSecond: 1000 } });
});
afterAll(async () => {
  await served[Symbol.asyncDispose]();
});

const BASH = { shell: "bash", cwd: "/tmp", env: { HOME: "/nonexistent" } };

const open = async (session_id: string): Promise<void> => {
  const created = await served.agent.ask("create", { session_id, ...BASH });
  expect(created.error).toBeNull();
};

test("a name can be used again once its session is closed, and both stay listed", async () => {
  const { agent } = served;
  await open("twice");
  const again = await agent.ask("create", { session_id: "twice" });
  expect(again.error).toMatchObject({ code: "invalid", field: "session_id" });
  await agent.ask("close", { session_id: "twice" });
  await open("twice");
  const { sessions } = agent.read("sessions.json");
  const both = sessions.filter((one: { session_id: string }) => one.session_id === "twice");
  expect(both).toMatchObject([{ state: "closed" }, { state: "open" }]);
  expect(both[0].terminal_id).not.toBe(both[1].terminal_id);
  await agent.ask("close", { session_id: "twice" });
});

test("without a name a session gets one and is the current one", async () => {
  const { agent } = served;
  await agent.put("create", '{"shell":"bash","env":{"HOME":"/nonexistent"}}');
  const created = await agent.result(
    ({ operation, ok, session_id: id }) =>
      operation === "create" && ok && id?.startsWith("term-") === true,
  );
  expect(created.session_id).toMatch(/^term-\d+$/);
  await open("other");
  expect(agent.read("current.json").session.session_id).toBe("other");
  await agent.ask("resume", { session_id: created.session_id });
  expect(agent.read("current.json").session.session_id).toBe(created.session_id);
  expect((await agent.ask("resume")).session_id).toBe(created.session_id);
  expect((await agent.ask("close")).session_id).toBe(created.session_id);
  expect((await agent.ask("read")).error).toMatchObject({ code: "invalid", field: "session_id" });
  await agent.ask("close", { session_id: "other" });
});

test("a read without a cursor goes on where the last one ended; one with a cursor repeats", async () => {
  const { agent } = served;
  await open("reader");
  await agent.ask("exec", { session_id: "reader", command: "echo one" });
  const first = await agent.ask("read", { session_id: "reader", max_bytes: 5 });
  const second = await agent.ask("read", { session_id: "reader", max_bytes: 5 });
  expect(second.result.from).toBe(first.result.cursor);
  const repeat = { session_id: "reader", cursor: second.result.from, max_bytes: 5 };
  const again = [await agent.ask("read", repeat), await agent.ask("read", repeat)];
  expect(again.map(({ result }) => result.data_b64)).toEqual([
    second.result.data_b64,
    second.result.data_b64,
  ]);
  await agent.ask("close", { session_id: "reader" });
});

test("a read waits for the first byte and no longer", async () => {
  const { agent } = served;
  await open("waiter");
  await agent.ask("exec", { session_id: "waiter", command: "true" });
  for (let n = 1; n > 0;) ({ n } = (await agent.ask("read")).result);
  await agent.ask("write", { input: "sleep 0.2; printf 'l%s\\n' ate\r" });
  const beganMs = performance.now();
  let seen = "";
  while (!seen.includes("late")) seen += decoded(await agent.ask("read", { timeout_ms: 20_000 }));
  expect(performance.now() - beganMs).toBeLessThan(10_000);
  await agent.ask("close");
});

test("a command in a session has its exit code, and goes on after its deadline", async () => {
  const { agent } = served;
  await open("shell");
  const failed = await agent.ask("exec", { session_id: "shell", command: "cd /; (exit 3)" });
  expect(failed).toMatchObject({ session_id: "shell", result: { exit_code: 3, timed_out: false } });
  await agent.ask("wait", { until: "prompt", timeout_ms: 10_000 });
  expect(agent.read("sessions.json").sessions.at(-1)).toMatchObject({ cwd: "/", exec_count: 1 });
  const late = { use_current: true, command: "sleep 60", timeout_ms: 2000 };
  expect((await agent.ask("exec", late)).result).toMatchObject({
    timed_out: true,
    still_running: true,
    exit_code: null,
  });
  const busy = await agent.ask("exec", { session_id: "shell", command: "true", timeout_ms: 100 });
  expect(busy.error).toMatchObject({ code: "busy" });
  await agent.ask("write", { data_b64: Buffer.from("\u0003").toString("base64") });
  const back = await agent.ask("wait", { until: "prompt", timeout_ms: 10_000 });
  expect(back.result).toMatchObject({ outcome: "prompt", timed_out: false });
  await agent.ask("close");
});

test("a command in a plain sh has its exit code as well", async () => {
  const { agent } = served;
  await agent.ask("create", { session_id: "plain", shell: "sh", cwd: "/tmp" });
  for (const [command, exit_code] of [
    ["(exit 6)", 6],
    ["cd /; false", 1],
    ["pwd", 0],
  ]) {
    const ran = await agent.ask("exec", { session_id: "plain", command });
    expect(ran).toMatchObject({ ok: true, result: { exit_code, still_running: false } });
  }
  expect((await agent.ask("exec", { use_current: true, command: "pwd" })).result.text).toMatch(
    /^\/$/m,
  );
  await agent.ask("close");
});

test("where commands cannot be told apart, exec says what to do instead", async () => {
  using place = ownDirectory();
  const shell = `${place.path}/odd`;
  await writeFile(shell, "#!/bin/sh\nexec cat\n", { mode: 0o700 });
  const policy = { ...defaultLaunchPolicy("0"), moreShells: [shell] };
  await using odd = await openServed({}, { policy });
  const { agent } = odd;
  await agent.ask("create", { session_id: "odd", shell });
  const refused = await agent.ask("exec", { session_id: "odd", command: "true" });
  expect(refused.error).toMatchObject({
    code: "unsupported",
    suggestion: expect.stringContaining("Run the command by itself"),
  });
  await agent.ask("write", { input: "still usable", append_newline: true });
  const wait = { until: "output", text: "still usable", timeout_ms: 10_000 };
  expect((await agent.ask("wait", wait)).result.outcome).toBe("output");
});

test("a long command in a session is read in full from where it began", async () => {
  const { agent } = served;
  await open("full");
  const long = { session_id: "full", command: "seq 1000", max_output_bytes: 256 };
  const { result } = await agent.ask("exec", long);
  expect(result).toMatchObject({ exit_code: 0, truncated: true });
  const all = await agent.ask("read", { session_id: "full", cursor: result.from });
  expect(all.result.text).toContain("\n500\n501\n");
  await agent.ask("close");
});

test("exec by itself leaves the current session alone", async () => {
  const { agent } = served;
  await open("quiet");
  const alone = await agent.ask("exec", { argv: ["sh", "-c", "echo $0; exit 4", "a b"] });
  expect(alone).toMatchObject({ session_id: null, result: { text: "a b\n", exit_code: 4 } });
  const killed = await agent.ask("exec", { command: "sleep 60", timeout_ms: 50 });
  expect(killed.result).toMatchObject({ timed_out: true, exit_code: null });
  const long = await agent.ask("exec", { command: "seq 1000", max_output_bytes: 256 });
  expect(long.result).toMatchObject({ n: 102, truncated: true, total_bytes: 3893 });
  const { terminal_id, cursor } = long.result;
  const rest = await agent.ask("read", { terminal_id, cursor });
  expect(decoded(long) + decoded(rest)).toBe(
    Array.from({ length: 1000 }, (_, index) => `${index + 1}\n`).join(""),
  );
  expect(agent.read("current.json").session.session_id).toBe("quiet");
  await agent.ask("close");
});

test("waits end with what they wait for, and each thing once", async () => {
  const { agent } = served;
  await open("events");
  await agent.ask("wait", { until: "prompt", timeout_ms: 10_000 });
  await agent.ask("write", { command: "echo $((20+3)); (exit 9)" });
  const text = { until: "output", text: "23", timeout_ms: 10_000 };
  expect((await agent.ask("wait", text)).result).toMatchObject({ outcome: "output", match: "23" });
  const end = { until: "command_end", timeout_ms: 10_000 };
  expect((await agent.ask("wait", end)).result).toMatchObject({
    outcome: "command_end",
    exit_code: 9,
  });
  const none = await agent.ask("wait", { until: "command_end", timeout_ms: 50 });
  expect(none.result).toMatchObject({ outcome: "timeout", timed_out: true });
  await agent.ask("write", { command: "read -s secret" });
  const needed = await agent.ask("wait", { until: "input_needed", timeout_ms: 10_000 });
  expect(needed.result).toMatchObject({ outcome: "input_needed", input_needed: "secret" });
  await agent.ask("write", { input: "\r" });
  const [ended] = await Promise.all([
    agent.ask("wait", { until: "exit", timeout_ms: 10_000 }),
    agent.ask("write", { command: "exit 5" }),
  ]);
  expect(ended.result.outcome).toBe("exit");
  await agent.until("sessions.json", ({ sessions }) => sessions.at(-1).state === "closed");
  expect(agent.read("sessions.json").sessions.at(-1).exit_code).toBe(5);
  const write = await agent.ask("write", { session_id: "events", input: "x" });
  expect(write.error).toMatchObject({ code: "eperm" });
  const read = await agent.ask("read", { session_id: "events" });
  expect(read.result).toMatchObject({ eof: true, exit_code: 5 });
  expect((await agent.ask("close", { session_id: "events" })).ok).toBe(true);
  expect((await agent.ask("close", { session_id: "events" })).error?.code).toBe("eperm");
});

test("requests written one after the other without waiting are done in that order", async () => {
  const { agent } = served;
  await agent.put("create", { request_id: "o1", session_id: "order", ...BASH });
  await agent.put("write", {
    request_id: "o2",
    session_id: "order",
    input: "ex",
    append_newline: false,
  });
  expect((await agent.answer("o2")).error).toBeNull();
  await agent.put("write", { request_id: "o3", session_id: "order", input: "it 6\r" });
  await agent.put("wait", { request_id: "o4", session_id: "order", until: "exit" });
  expect((await agent.answer("o4")).result.outcome).toBe("exit");
  expect((await agent.ask("read", { session_id: "order" })).result.exit_code).toBe(6);
});

test("resizing is real, and types nothing", async () => {
  const { agent } = served;
  await open("size");
  expect((await agent.ask("resize", { cols: 99, rows: 33 })).result).toEqual({
    cols: 99,
    rows: 33,
  });
  const size = await agent.ask("exec", { session_id: "size", command: "stty size" });
  expect(size.result.text).toContain("33 99");
  await agent.ask("close");
});

test("a long wait blocks nobody else, and is told as running", async () => {
  const { agent } = served;
  await open("long");
  await agent.put("wait", { request_id: "long-wait", until: "exit", timeout_ms: 60_000 });
  await agent.until("status.json", ({ active }) => active.length === 1);
  expect(agent.read("status.json")).toMatchObject({
    state: "running",
    tool: "terminal_session_wait",
    active: [{ request_id: "long-wait", operation: "wait" }],
  });
  expect((await agent.ask("exec", { command: "echo meanwhile" })).result.text).toBe("meanwhile\n");
  await agent.ask("close", { session_id: "long" });
  expect((await agent.answer("long-wait")).result.outcome).toBe("exit");
});
