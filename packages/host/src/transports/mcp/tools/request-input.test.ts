import { CallerId, NacreError, type RequestInputResult } from "@nacre/contracts";
import { expect, test } from "vitest";
import { ScriptedCaller, silence } from "../testing/scripted-caller.ts";
import { requestInputTool } from "./request-input.ts";

const given = { terminal_id: "terminal:a1", prompt: "the password", timeout_ms: 60_000 };

const REQUEST = {
  requestId: "r1",
  by: CallerId.parse("bot"),
  prompt: "the password",
  kind: "type",
  secret: true,
  askedAt: "2026-01-31T09:30:00.000Z",
} as const;

const waitFor = () => ({ outcome: "timeout", sequence: 5 });

const answering = (answer: Omit<RequestInputResult, "request">): ScriptedCaller => {
  const tell = () => ({ request: REQUEST, ...answer });
  const more = { readInputRequest: tell, withdrawInput: tell };
  return new ScriptedCaller({ waitFor, requestInput: tell, ...more });
};

test("a person is asked, and that the answer was typed is all that is told", async () => {
  const caller = answering({ outcome: "answered" });
  const answer = await requestInputTool.use({ ...given, secret: true }, caller.use);
  expect(answer).toEqual({
    outcome: "answered",
    request_id: "r1",
    kind: "type",
    terminal_id: "terminal:a1",
    still_running: true,
    cursor: "5",
  });
  expect(requestInputTool.output.parse(answer)).toEqual(answer);
  expect(caller.asked.at(-1)).toEqual([
    "requestInput",
    { id: "terminal:a1", prompt: "the password", secret: true, timeoutMs: 60_000, wait: true },
  ]);
});

test("P-A1: a decision is told to who asked", async () => {
  const caller = answering({ outcome: "answered", text: "yes" });
  const choices = [{ value: "yes" }, { value: "no", label: "Not now" }];
  const asked = { ...given, kind: "answer", choices, expires_in_ms: 5000 };
  expect(await requestInputTool.use(asked, caller.use)).toMatchObject({ answer: "yes" });
  expect(caller.asked.at(-1)).toMatchObject([
    "requestInput",
    { kind: "answer", choices, expiresInMs: 5000 },
  ]);
});

test("P-A1: who asks before a program reads is told so", async () => {
  const caller = answering({ outcome: "pending", nobodyReads: true });
  const answer = await requestInputTool.use({ ...given, secret: true }, caller.use);
  expect(answer).toMatchObject({ outcome: "pending", nobody_reads: true });
  expect(requestInputTool.output.parse(answer)).toEqual(answer);
});

test("choices may be plain texts, which are their own labels", async () => {
  const caller = answering({ outcome: "answered", text: "x" });
  const asked = { ...given, choices: ["x", { value: "y", label: "Why not" }] };
  expect(await requestInputTool.use(asked, caller.use)).toMatchObject({ answer: "x" });
  expect(caller.asked.at(-1)).toMatchObject([
    "requestInput",
    { choices: [{ value: "x" }, { value: "y", label: "Why not" }] },
  ]);
  await expect(requestInputTool.use({ ...given, choices: [1] }, caller.use)).rejects.toMatchObject({
    code: "invalid_argument",
  });
});

test("P-A2: what is still open is asked for again by its request_id, or withdrawn", async () => {
  const caller = answering({ outcome: "pending" });
  const { terminal_id } = given;
  expect(await requestInputTool.use(given, caller.use)).toMatchObject({ outcome: "pending" });
  const again = { terminal_id, request_id: "r1" };
  await requestInputTool.use(again, caller.use);
  await requestInputTool.use({ ...again, withdraw: true }, caller.use);
  const [waited, withdrawn] = caller.asked.filter(([name]) =>
    ["readInputRequest", "withdrawInput"].includes(name),
  );
  expect(waited?.[1]).toEqual({ id: terminal_id, requestId: "r1", timeoutMs: 30_000 });
  expect(withdrawn?.[1]).toEqual({ id: terminal_id, requestId: "r1" });
  await expect(requestInputTool.use({ terminal_id }, caller.use)).rejects.toMatchObject({
    field: "prompt",
  });
});

test.each([
  ["declined", "declined", true],
  ["expired", "lapsed", true],
  ["closed", "exited", false],
] as const)("what is %s is told as %s", async (outcome, told, isRunning) => {
  const answer = await requestInputTool.use(given, answering({ outcome }).use);
  expect(answer).toMatchObject({ outcome: told, still_running: isRunning });
});

test("who declines can say why, in words that hide nothing", async () => {
  const caller = answering({ outcome: "declined", note: "not on\u202E this host" });
  const answer = await requestInputTool.use(given, caller.use);
  expect(answer).toMatchObject({ outcome: "declined", note: "not on this host" });
});

test("who cancels waits no longer", async () => {
  const caller = new ScriptedCaller({ waitFor, requestInput: silence });
  const using = requestInputTool.use(given, caller.use);
  caller.leave();
  await expect(using).rejects.toThrow("nobody waits any more");
});

test("what may not be asked is refused", async () => {
  const requestInput = (): never => {
    throw new NacreError("claim_held", "somebody else drives it");
  };
  const refusing = new ScriptedCaller({ waitFor, requestInput });
  await expect(requestInputTool.use(given, refusing.use)).rejects.toMatchObject({
    code: "claim_held",
  });
});
