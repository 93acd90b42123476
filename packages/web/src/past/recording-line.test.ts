import { TerminalStorageSchema } from "@nacre/contracts";
import { expect, test } from "vitest";
import { factsOf, isWanted, lineOf } from "./recording-line.ts";
import { entries, TERMINAL_ID } from "./testing/entries.ts";

const row = TerminalStorageSchema.parse({
  id: TERMINAL_ID,
  owner: { entityName: "Task", entityId: "task:7" },
  workingDirectory: "/srv/app",
  command: "make",
  args: ["-j", "2"],
  createdAt: "2026-01-31T09:30:00.000Z",
});

test("the last title and the end say what a recording was", () => {
  const facts = factsOf(
    entries([
      { type: "title", title: "first" },
      { type: "title", title: "second" },
      { type: "exit", exitCode: 3, outputBytes: 1400, elapsedMs: 5000 },
    ]),
  );
  expect(lineOf(row, undefined, facts)).toMatchObject({
    title: "second",
    isRunning: false,
    exitCode: 3,
    durationMs: 5000,
    outputBytes: 1400,
  });
});

test("without entries and title it is what was launched, and how it ended is not known", () => {
  expect(lineOf(row, undefined, undefined)).toMatchObject({
    title: "make -j 2",
    exitCode: null,
    durationMs: undefined,
  });
  expect(factsOf([])).toMatchObject({ hasExit: false, exitCode: null });
});

test("lines are found by what they say, by state and by age", () => {
  const line = lineOf(row, undefined, undefined);
  const any = { text: "", state: "", since: undefined } as const;
  expect(isWanted(line, any)).toBe(true);
  expect(isWanted(line, { ...any, text: "MAKE" })).toBe(true);
  expect(isWanted(line, { ...any, text: "task:7" })).toBe(true);
  expect(isWanted(line, { ...any, text: "/srv" })).toBe(true);
  expect(isWanted(line, { ...any, text: "npm" })).toBe(false);
  expect(isWanted(line, { ...any, state: "running" })).toBe(false);
  expect(isWanted(line, { ...any, state: "ended" })).toBe(true);
  const at = Date.parse(row.createdAt);
  expect(isWanted(line, { ...any, since: at })).toBe(true);
  expect(isWanted(line, { ...any, since: at + 1 })).toBe(false);
});
