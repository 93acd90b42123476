import { NacreError, type RequestInputResult } from "@nacre/contracts";
import { expect, test } from "vitest";
import { ScriptedCaller, silence } from "../testing/scripted-caller.ts";
import { requestInputTool } from "./request-input.ts";

const given = { terminal_id: "terminal:a1", prompt: "the password", timeout_ms: 60_000 };

const waitFor = () => ({ outcome: "timeout", sequence: 5 });

const answering = (answer: Omit<RequestInputResult, "request">): ScriptedCaller =>
  new ScriptedCaller({ waitFor, requestInput: () => answer });

test("a person is asked, and that the answer was typed is all that is told", async () => {
  const caller = answering({ outcome: "answered" });
  const answer = await requestInputTool.use({ ...given, secret: true }, caller.use);
  expect(answer).toEqual({
    outcome: "answered",
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

test.each([
  ["declined", "declined", true],
  ["expired", "no_answer", true],
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
