import { expect, test } from "vitest";
import { Command, MAX_COMMAND_LINE_LENGTH } from "./command.ts";
import { refusal, TERMINAL_ID } from "./fixtures.ts";
import { parse } from "./parse.ts";

const running = {
  commandId: "c1",
  terminalId: TERMINAL_ID,
  commandLine: "make\nall",
  firstSequence: 7,
  startedAt: "2026-01-31T09:30:00.000Z",
  quality: "exact",
};

test.each([
  running,
  { ...running, cwd: "/tmp", commandLineTruncated: true },
  { ...running, lastSequence: 7, exitCode: 0, durationMs: 5, endedBy: "marker" },
  { ...running, lastSequence: 9, signal: "SIGINT", endedBy: "prompt" },
  { ...running, lastSequence: 9, endedBy: "restart" },
])("%j is a command", (command) => {
  expect(parse(Command, command)).toEqual(command);
});

test.each([
  ["exitCode", { exitCode: 130, signal: "SIGINT" }],
  ["lastSequence", { lastSequence: 6 }],
  ["commandLine", { commandLine: "\ud800" }],
  ["commandLine", { commandLine: "x".repeat(MAX_COMMAND_LINE_LENGTH + 1) }],
  ["commandLineTruncated", { commandLineTruncated: false }],
  ["cwd", { cwd: "tmp" }],
  ["durationMs", { durationMs: -1 }],
  ["endedBy", { endedBy: "magic" }],
  ["signal", { signal: "kill" }],
  ["foo", { foo: 1 }],
])("a command with a wrong %s is refused", (field, part) => {
  expect(refusal(Command, { ...running, ...part })).toMatchObject({ field });
});
