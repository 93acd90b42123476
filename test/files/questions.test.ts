// What an agent with nothing but files asks people, and what is left of secrets in its directory.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { writeFile } from "node:fs/promises";
import { TerminalId } from "@nacre/contracts";
import { LOCAL_CALLER } from "@nacre/host";
import { expect, test } from "vitest";
import { newCanary, tracedIn } from "../support/canary.ts";
import { shLine } from "../support/terminal-input.ts";
import { DEADLINE_MS } from "../support/terminal-output.ts";
import { openServed } from "./served-directory.ts";

const filesWith = (directory: string, secret: string): string[] =>
  readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => tracedIn([secret], readFileSync(path)).length > 0);

test("S-F15: a secret that was typed by a control file is in no file once it was taken", async () => {
  await using served = await openServed();
  const { agent } = served;
  await agent.ask("create", { session_id: "s", shell: "/bin/bash" });
  await agent.ask("wait", { until: "prompt", timeout_ms: DEADLINE_MS });
  const ask = async (): Promise<void> => {
    await agent.ask("write", { command: "read -rs x; echo got ${#x}" });
    const waited = await agent.ask("wait", { until: "input_needed", timeout_ms: DEADLINE_MS });
    expect(waited.result).toMatchObject({ outcome: "input_needed" });
  };
  for (const name of ["write", "invoke"]) {
    await ask();
    const secret = newCanary();
    const fields = { input: secret, append_newline: true, secret: true };
    const payload = name === "write" ? fields : { op: "write", arguments: fields };
    expect(await agent.ask(name, payload)).toMatchObject({ ok: true });
    expect(filesWith(agent.directory, secret)).toEqual([]);
    const seen = await agent.ask("wait", { until: "output", text: "got 24", timeout_ms: 20_000 });
    expect(seen.result).toMatchObject({ outcome: "output" });
  }
});

test("S-F15: also what is refused, written over the file or written twice leaves nothing", async () => {
  await using served = await openServed();
  const { agent } = served;
  await agent.ask("create", { session_id: "s", shell: "/bin/bash" });
  await agent.ask("wait", { until: "prompt", timeout_ms: DEADLINE_MS });
  const secret = newCanary();
  const refused = await agent.ask("write", { input: secret, append_newline: true, secret: true });
  expect(refused.error).toMatchObject({ code: "busy" });
  expect(filesWith(agent.directory, secret)).toEqual([]);
  const request = JSON.stringify({ request_id: "twice", input: secret, secret: true });
  const path = agent.path("control", "write.json");
  await writeFile(path, request);
  await agent.answer("twice");
  expect(filesWith(agent.directory, secret)).toEqual([]);
  await writeFile(path, request);
  await expect.poll(() => filesWith(agent.directory, secret), { timeout: DEADLINE_MS }).toEqual([]);
  await writeFile(path, `{"input":"${secret}`);
  await expect.poll(() => filesWith(agent.directory, secret), { timeout: DEADLINE_MS }).toEqual([]);
  // An emptied file is no request.
  expect(await agent.ask("write", { input: "x" })).toMatchObject({ ok: true });
});

test("P-A1: a person's answer is told to an agent that has only files", async () => {
  await using served = await openServed();
  const { agent, host } = served;
  const { result } = await agent.ask("create", { session_id: "s", shell: "/bin/bash" });
  const id = TerminalId.parse(result.terminal_id);
  await agent.ask("wait", { until: "prompt", timeout_ms: DEADLINE_MS });
  const choices = [{ value: "yes" }, { value: "no" }];
  const asked = await agent.ask("ask", { question: "Deploy?", choices, timeout_ms: 1 });
  expect(asked.result).toMatchObject({ outcome: "pending", kind: "answer", answer: null });
  const { ask_id } = asked.result;
  const terminal = await host.registry.require(id);
  await terminal.inputRequests.answer({ requestId: ask_id, by: LOCAL_CALLER, text: "yes" });
  const told = await agent.ask("ask", { ask_id });
  expect(told.result).toMatchObject({ outcome: "answered", answer: "yes", by: "local" });
  const typed = await agent.ask("ask", { question: "Deploy?", kind: "type" });
  expect(typed.error).toMatchObject({ code: "busy" });
});

test("P-A1: an agent that has only files answers, declines and withdraws, but only what is its own", async () => {
  await using served = await openServed();
  const { agent, host } = served;
  const { result } = await agent.ask("create", { session_id: "s", shell: "/bin/bash" });
  const id = TerminalId.parse(result.terminal_id);
  await agent.ask("wait", { until: "prompt", timeout_ms: DEADLINE_MS });
  const { inputRequests } = await host.registry.require(id);
  const first = await inputRequests.ask({ prompt: "Deploy?", by: LOCAL_CALLER });
  const unsaid = await agent.ask("answer", {});
  expect(unsaid.error).toMatchObject({ code: "invalid", field: "answer" });
  expect(unsaid.error?.message).toContain(`open: ${first.requestId} "Deploy?"`);
  const answered = await agent.ask("answer", { answer: "yes", note: "tests pass" });
  const which = { ask_id: first.requestId, kind: "answer" };
  expect(answered.result).toEqual({ outcome: "answered", ...which });
  expect(await inputRequests.outcome(first.requestId, LOCAL_CALLER)).toMatchObject({
    outcome: "answered",
    text: "yes",
    note: "tests pass",
  });
  const [one, two] = [
    await inputRequests.ask({ prompt: "One?", by: LOCAL_CALLER }),
    await inputRequests.ask({ prompt: "Two?", by: LOCAL_CALLER }),
  ];
  const unclear = await agent.ask("answer", { decline: true });
  expect(unclear.error).toMatchObject({ code: "invalid", field: "ask_id" });
  const declined = await agent.ask("answer", { ask_id: two.requestId, decline: true });
  expect(declined.result).toMatchObject({ outcome: "declined", ask_id: two.requestId });
  expect(inputRequests.pending.map(({ requestId }) => requestId)).toEqual([one.requestId]);
  const foreign = await agent.ask("ask", { ask_id: one.requestId, withdraw: true });
  expect(foreign.error).toMatchObject({ code: "eperm" });
  const own = await agent.ask("ask", { question: "Mine?", timeout_ms: 0 });
  const withdrawn = await agent.ask("ask", { ask_id: own.result.ask_id, withdraw: true });
  expect(withdrawn.result).toMatchObject({ outcome: "withdrawn" });
  const other = await host.createTerminal(shLine("cat"));
  const asked = await other.inputRequests.ask({ prompt: "Not yours?", by: LOCAL_CALLER });
  const elsewhere = { terminal_id: other.id, ask_id: asked.requestId, answer: "yes" };
  expect((await agent.ask("answer", elsewhere)).error).toMatchObject({ code: "enoent" });
  expect(other.inputRequests.pending).toHaveLength(1);
});

test("P-A1: what is answered by a control file is in no file once it was taken", async () => {
  await using served = await openServed();
  const { agent, host } = served;
  const { result } = await agent.ask("create", { session_id: "s", shell: "/bin/bash" });
  await agent.ask("wait", { until: "prompt", timeout_ms: DEADLINE_MS });
  await agent.ask("write", { command: "read -rs x; echo got ${#x}" });
  await agent.ask("wait", { until: "input_needed", timeout_ms: DEADLINE_MS });
  const { inputRequests } = await host.registry.require(TerminalId.parse(result.terminal_id));
  await inputRequests.ask({ prompt: "Password", by: LOCAL_CALLER });
  const secret = newCanary();
  expect((await agent.ask("answer", { answer: secret })).result).toMatchObject({ kind: "type" });
  expect(filesWith(agent.directory, secret)).toEqual([]);
  const seen = await agent.ask("wait", { until: "output", text: "got 24", timeout_ms: 20_000 });
  expect(seen.result).toMatchObject({ outcome: "output" });
});
