import { TerminalSummary } from "@nacre/contracts";
import { expect, test } from "vitest";
import { describeNeed, needsOf } from "./needs.ts";

const AT = "2026-01-31T09:30:00.000Z";
let count = 0;

/** A terminal that a person drives, with whatever else is said. */
const terminal = (more: object): TerminalSummary =>
  TerminalSummary.parse({
    id: `terminal:t${++count}`,
    owner: { entityName: "Task", entityId: "1" },
    createdAt: AT,
    title: "shell",
    state: "active",
    claim: { claim: { kind: "client", clientId: "somebody" }, epoch: 1, since: AT },
    exitCode: null,
    commandDetection: "exact",
    inputPolicy: "open",
    viewers: 0,
    ...more,
  });

const command = (exitCode: number, commandId = "c1") => ({
  commandId,
  terminalId: "terminal:t1",
  commandLine: "make",
  firstSequence: 1,
  lastSequence: 2,
  exitCode,
  startedAt: AT,
  endedBy: "marker",
  quality: "exact",
});

const crashed = { exitCode: undefined, signal: "SIGSEGV" };
const byAgent = { claim: { claim: { kind: "session", session: "s" }, epoch: 1, since: AT } };
const request = (requestId: string) => ({
  requestId,
  by: "agent",
  askedAt: AT,
  expiresAt: AT,
});

const kindsOf = (more: object): readonly string[] =>
  needsOf(terminal(more)).map(({ kind }) => kind);

test.each([
  ["nothing", {}, []],
  ["a command that failed", { lastCommand: command(2) }, ["failed"]],
  ["a command that went well", { lastCommand: command(0) }, []],
  ["a command that crashed", { lastCommand: { ...command(0), ...crashed } }, ["failed"]],
  ["a command that a person interrupted", { lastCommand: command(130) }, []],
  ["a program that failed", { state: "exited", exitCode: 3 }, ["failed"]],
  ["a shell that was left", { state: "exited", exitCode: 2, lastCommand: command(2) }, []],
  ["a secret", { inputNeeded: { kind: "secret", since: AT } }, ["input"]],
  ["an editor of a person", { inputNeeded: { kind: "key", since: AT } }, []],
  ["a REPL of a person", { inputNeeded: { kind: "line", lineEditor: true, since: AT } }, []],
  ["a line that is asked for", { inputNeeded: { kind: "line", since: AT } }, ["input"]],
  ["an editor of an agent", { inputNeeded: { kind: "key", since: AT }, ...byAgent }, ["input"]],
  [
    "a question for an answer, which says nothing of what the program waits for",
    {
      inputRequests: [{ ...request("1"), prompt: "Deploy?", kind: "answer", secret: false }],
      inputNeeded: { kind: "line", since: AT },
    },
    ["question", "input"],
  ],
  [
    "P-A2: a question that lapsed",
    {
      lapsedRequests: [
        {
          ...request("1"),
          prompt: "?",
          kind: "answer",
          secret: false,
          lapsedAt: AT,
          reason: "closed",
        },
      ],
    },
    ["lapsed"],
  ],
  [
    "questions, of which the one for input tells more than the program",
    {
      inputNeeded: { kind: "line", since: AT },
      inputRequests: [{ ...request("1"), prompt: "Which?", kind: "type", secret: false }],
      controlRequests: [{ ...request("2"), claim: { kind: "client", clientId: "agent" } }],
    },
    ["question", "control"],
  ],
])("%s", (_, more, kinds) => {
  expect(kindsOf(more)).toEqual(kinds);
});

const wordsOf = (more: object) => describeNeed(needsOf(terminal(more))[0]!);

test("what waits is said in words, with who asks and what they said", () => {
  const question = { ...request("r1"), prompt: "Which branch?", secret: false, kind: "answer" };
  expect(wordsOf({ inputRequests: [question] })).toEqual({
    tone: "warn",
    who: "agent",
    words: "asks you",
    quote: "Which branch?",
    since: AT,
  });
  const typed = { ...question, secret: true, kind: "type" };
  expect(wordsOf({ inputRequests: [typed] }).words).toBe("asks you for a secret");
  const control = { ...request("r2"), claim: { kind: "client", clientId: "host" }, note: "please" };
  expect(wordsOf({ controlRequests: [control] })).toMatchObject({
    who: "Nobody",
    words: "asks for control",
    quote: "please",
  });
  const inputNeeded = { kind: "secret", since: AT };
  expect(wordsOf({ inputNeeded })).toMatchObject({ tone: "warn", words: "asks for a secret" });
  expect(wordsOf({ lastCommand: command(2) })).toMatchObject({
    tone: "bad",
    who: "make",
    words: "failed: exit 2",
  });
  const recordingBlocked = { reason: "diskFull", message: "m", suggestion: "s", since: AT };
  expect(wordsOf({ recordingBlocked })).toMatchObject({ words: "cannot be recorded: disk full" });
});
