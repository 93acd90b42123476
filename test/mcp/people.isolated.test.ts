// What an agent asks people for: they see it where they look, answer or decline, and a secret reaches the program and nobody else.
import { TerminalId } from "@nacre/contracts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { serve, type Served } from "./served.ts";

let served: Served;

beforeAll(async () => {
  served = await serve("stdio");
}, 30_000);

afterAll(() => served[Symbol.asyncDispose]());

const PATIENCE = { timeout: 15_000 };

const open = async (id: TerminalId) => (await served.person.readTerminal({ id })).inputRequests;

async function asking(command: string): Promise<TerminalId> {
  const { terminal_id } = await served.agent.get("terminal_create", { command });
  const waiting = { terminal_id, until: "input_needed", cursor: "0", timeout_ms: 30_000 };
  expect(await served.agent.get("terminal_wait", waiting)).toMatchObject({
    outcome: "input_needed",
  });
  return TerminalId.parse(terminal_id);
}

test("a secret that a person answers with is told to nobody and kept nowhere", async () => {
  const id = await asking(
    `printf 'Password: '; stty -echo; read p; stty echo; [ "\${#p}" = 7 ] && echo welcome; cat`,
  );
  const request = served.agent.use("terminal_request_input", {
    terminal_id: id,
    prompt: "the password of the database",
    timeout_ms: 30_000,
  });
  await expect
    .poll(() => open(id), PATIENCE)
    .toMatchObject([{ prompt: "the password of the database", secret: true }]);
  const { terminals } = await served.person.listTerminals({});
  const requests = terminals.find((one) => one.id === id)?.inputRequests ?? [];
  const requestId = requests[0]?.requestId ?? "";
  await served.person.answerInput({ id, requestId, text: "hunter2" });
  const { value, text } = await request;
  expect(value).toMatchObject({ outcome: "answered", still_running: true });
  const waiting = { terminal_id: id, until: "text", text: "welcome" };
  const waited = await served.agent.use("terminal_wait", waiting);
  expect(waited.value).toMatchObject({ outcome: "text" });
  const read = await served.agent.use("terminal_read", { terminal_id: id });
  const screen = await served.agent.use("terminal_screen", { terminal_id: id });
  const { contents } = await served.agent.client.readResource({ uri: `nacre://recordings/${id}` });
  const { entries } = await served.person.findRecordingEntries({ terminalId: id, view: "raw" });
  const { records } = await served.person.listAudit({ limit: 1000 });
  const everything = [text, waited.text, read.text, screen.text, contents, entries, records];
  expect(JSON.stringify(everything)).not.toContain("hunter2");
  expect(await open(id)).toBeUndefined();
}, 60_000);

test("P-A1: a decision is told to the agent, and nothing is typed", async () => {
  const id = await asking("read answer; echo never");
  const choices = [{ value: "yes", label: "Deploy" }, { value: "no" }];
  const given = { terminal_id: id, prompt: "Shall I deploy?", choices, timeout_ms: 1 };
  const asked = await served.agent.get("terminal_request_input", given);
  expect(asked).toMatchObject({ outcome: "pending", kind: "answer" });
  const requestId = String(asked["request_id"]);
  await served.person.answerInput({ id, requestId, text: "yes" });
  const again = { terminal_id: id, request_id: requestId };
  expect(await served.agent.get("terminal_request_input", again)).toMatchObject({
    outcome: "answered",
    answer: "yes",
  });
  const types = ["input" as const];
  const { entries } = await served.person.findRecordingEntries({ terminalId: id, types });
  expect(entries).toEqual([]);
}, 60_000);

test("who does not want to answer declines, and the agent is told why", async () => {
  const id = await asking("read answer; echo never");
  const given = { terminal_id: id, prompt: "shall I delete it?", timeout_ms: 30_000 };
  const request = served.agent.get("terminal_request_input", given);
  await expect.poll(() => open(id), PATIENCE).toMatchObject([{ secret: false }]);
  const [asked] = (await open(id)) ?? [];
  await served.person.answerInput({ id, requestId: asked?.requestId ?? "", note: "not yet" });
  expect(await request).toMatchObject({ outcome: "declined", note: "not yet" });
}, 60_000);

test("P-A2: a question stays when the call that asked it is gone, and lapses with its program", async () => {
  const id = await asking("read answer; exit 3");
  const leaving = new AbortController();
  const given = { terminal_id: id, prompt: "a name", timeout_ms: 60_000 };
  const cancelled = served.agent.use("terminal_request_input", given, { signal: leaving.signal });
  await expect.poll(() => open(id), PATIENCE).toHaveLength(1);
  leaving.abort(new Error("enough"));
  await expect(cancelled).rejects.toThrow("enough");
  const [left] = (await open(id)) ?? [];
  const withdrawing = { terminal_id: id, request_id: left?.requestId, withdraw: true };
  expect(await served.agent.get("terminal_request_input", withdrawing)).toMatchObject({
    outcome: "withdrawn",
  });
  expect(await open(id)).toBeUndefined();
  const closing = served.agent.get("terminal_request_input", given);
  await expect.poll(() => open(id), PATIENCE).toHaveLength(1);
  await served.person.killTerminal({ id });
  expect(await closing).toMatchObject({ outcome: "exited", still_running: false });
  const { lapsedRequests } = await served.person.readTerminal({ id });
  expect(lapsedRequests).toMatchObject([{ prompt: "a name", reason: "closed" }]);
}, 60_000);
