// Commands of a live shell and what becomes of them: deadlines, several lines, floods, what only pretends to be text.
import { TerminalId } from "@nacre/contracts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { serve, type Served } from "./served.ts";

let served: Served;
let terminal_id: unknown;

beforeAll(async () => {
  served = await serve("stdio");
  ({ terminal_id } = await served.agent.get("terminal_create"));
}, 30_000);

afterAll(() => served[Symbol.asyncDispose]());

const run = (command: string, more: object = {}) =>
  served.agent.get("terminal_run", { terminal_id, command, ...more });

/** Long enough for a program to begin on a busy machine. */
const DEADLINE_MS = 2000;

test.each([
  ["a program", "sleep 60", 130],
  ["the shell itself", "while :; do :; done", 130],
  [
    "a program that does not want to end",
    `bash -c 'trap "" INT TERM; while :; do sleep 0.1; done'`,
    137,
  ],
])("a deadline ends %s, and the shell goes on", async (_, command, exit_code) => {
  expect(await run(command, { timeout_ms: DEADLINE_MS, yield_time_ms: 30_000 })).toMatchObject({
    timed_out: true,
    still_running: false,
    exit_code,
  });
  expect(await run("echo alive")).toMatchObject({ output: "alive\n", exit_code: 0 });
});

test("a deadline holds when nobody waits any more, and only for its own command", async () => {
  const begun = await run("sleep 60", { timeout_ms: 3 * DEADLINE_MS, yield_time_ms: DEADLINE_MS });
  expect(begun).toMatchObject({ still_running: true });
  const { cursor, command_id } = begun;
  const waiting = { terminal_id, cursor, until: "command_end", timeout_ms: 20_000 };
  expect(await served.agent.get("terminal_wait", waiting)).toMatchObject({
    outcome: "command_end",
    command_id,
    command_exit_code: 130,
  });
  expect(await run("true", { timeout_ms: DEADLINE_MS })).not.toHaveProperty("timed_out");
  expect(await run("sleep 2.5; echo done")).toMatchObject({ output: "done\n", exit_code: 0 });
});

test("several lines at once are one answer, with the exit code of the last", async () => {
  const command = "cat <<END\nhi\nEND\nsleep 0.3 # a while\necho done\n(exit 5)";
  expect(await run(command)).toMatchObject({
    output: "hi\ndone\n",
    still_running: false,
    exit_code: 5,
  });
});

test("a line that is not finished says so, and what to do", async () => {
  expect(await run("echo 'open", { yield_time_ms: 20_000 })).toMatchObject({
    still_running: true,
    input_needed: "continuation",
    next: expect.stringContaining("C-c") as string,
  });
  await served.agent.get("terminal_keys", { terminal_id, keys: ["C-c"] });
  expect(await run("echo again")).toMatchObject({ output: "again\n" });
});

test("of a flood the beginning and the end are shown, whole lines of it, and how much there was", async () => {
  const command = "seq 1 1000000; echo THE END; exec sleep 60";
  const flood = await served.agent.get("terminal_exec", { command, run_in_background: true });
  const { terminal_id: id } = flood;
  const waiting = { terminal_id: id, until: "text", text: "THE END", timeout_ms: 60_000 };
  expect(await served.agent.get("terminal_wait", waiting)).toMatchObject({ outcome: "text" });
  const shown = await served.agent.get("terminal_read", { terminal_id: id, max_output_bytes: 400 });
  expect(shown["output"]).toMatch(/^1\n2\n[^]*left out here\]\n[^]*\n1000000\nTHE END\n$/);
  expect(shown).toMatchObject({ truncated: true, bytes: 7_888_905 });
  await served.agent.get("terminal_close", { terminal_id: id });
}, 90_000);

test("a deadline holds in the background", async () => {
  const asked = { command: "sleep 60", run_in_background: true, timeout_ms: 3 * DEADLINE_MS };
  const { terminal_id: id, still_running } = await served.agent.get("terminal_exec", asked);
  expect(still_running).toBe(true);
  const waiting = { terminal_id: id, until: "exit", timeout_ms: 20_000 };
  expect(await served.agent.get("terminal_wait", waiting)).toMatchObject({
    still_running: false,
    signal: "SIGTERM",
  });
});

test("what people cannot see on the screen, a model does not see either", async () => {
  const hidden = String.raw`printf 'a\033[8mHIDDEN\033[0mb\033[97;107mWHITE\033[0mc'; cat`;
  const { terminal_id: id, title } = await served.agent.get("terminal_create", { command: hidden });
  expect(title).toMatch(/^printf/);
  const uri = `nacre://terminals/${String(id)}/screen`;
  const screen = async () =>
    (await served.agent.get("terminal_screen", { terminal_id: id }))["screen"];
  await expect.poll(screen, { timeout: 15_000 }).toBe("a      b     c");
  const { contents } = await served.agent.client.readResource({ uri });
  expect(contents).toMatchObject([{ text: expect.stringMatching(/^a {6}b {5}c\n/) as string }]);
  const { output } = await served.agent.get("terminal_read", { terminal_id: id });
  expect(output).toBe("a      b     c");
});

test("who subscribed to a screen is told when it changes, and not any more when it left", async () => {
  const { client } = served.agent;
  const told: string[] = [];
  client.setNotificationHandler("notifications/resources/updated", ({ params }) => {
    told.push(params.uri);
  });
  const { terminal_id: id } = await served.agent.get("terminal_create", { command: "cat" });
  const uri = `nacre://terminals/${String(id)}/screen`;
  await client.subscribeResource({ uri });
  await served.person.sendInput({ id: TerminalId.parse(id), data: "hello\r" });
  await expect.poll(() => told, { timeout: 15_000 }).toContain(uri);
  await client.unsubscribeResource({ uri });
  const missing = client.subscribeResource({ uri: "nacre://terminals/terminal:none/screen" });
  await expect(missing).rejects.toThrow("not found");
});
