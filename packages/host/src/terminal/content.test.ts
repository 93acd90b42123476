import { CommandId } from "@nacre/contracts";
import { expect, test } from "vitest";
import type { Fact, RecordedEntry } from "../recording/recorded-entry.ts";
import { terminalId } from "../testing/terminal-row.ts";
import { ContentBuilder } from "./content.ts";

const id = CommandId.parse("c1");

function partsOf(facts: readonly (Fact | string)[]): ContentBuilder {
  const parts = new ContentBuilder();
  for (const [index, given] of facts.entries()) {
    const fact: Fact =
      typeof given === "string"
        ? { type: "output", offset: 0, data: new Uint8Array(Buffer.from(given)) }
        : given;
    const entry = {
      id: `terminal_recording_entry:a-${index + 1}`,
      terminalId: terminalId("a"),
      sequence: index + 1,
      occurredAt: "2026-01-31T09:30:00.000Z",
      elapsedMs: 0,
      ...fact,
    } as RecordedEntry;
    const view = entry.type === "output" ? { view: entry.data } : {};
    parts.push({ entry, ...view });
  }
  return parts;
}

const begins: Fact = { type: "command", commandId: id, commandLine: "ls", quality: "exact" };
const ends: Fact = {
  type: "commandEnd",
  commandId: id,
  exitCode: 0,
  durationMs: 3,
  endedBy: "marker",
};

test("output before, in and after a command stands in parts of its own", () => {
  expect(partsOf(["$ ", "ls\r\n", begins, "a\r\n", "b\r\n", ends, "$ "]).parts).toEqual([
    { kind: "unclassified", text: "$ ls\r\n" },
    {
      kind: "command",
      commandId: id,
      commandLine: "ls",
      startedAt: "2026-01-31T09:30:00.000Z",
      output: "a\r\nb\r\n",
      isComplete: true,
      exitCode: 0,
      durationMs: 3,
    },
    { kind: "unclassified", text: "$ " },
  ]);
});

test("a command whose end nobody saw has no exit code", () => {
  const { parts } = partsOf([begins, "a", { ...ends, exitCode: undefined, endedBy: "exit" }]);
  expect(parts).toMatchObject([{ kind: "command", output: "a", isComplete: true }]);
  expect(parts[0]).not.toHaveProperty("exitCode");
});

test("clearing empties everything, and output goes on as unclassified", () => {
  expect(partsOf([begins, "a", { type: "clear" }, "b", ends, "c"]).parts).toEqual([
    { kind: "unclassified", text: "bc" },
  ]);
});

test("what is not shown makes no parts", () => {
  const { parts } = partsOf([
    { type: "header", cols: 80, rows: 24 },
    { type: "title", title: "x" },
    { type: "input", data: new Uint8Array(Buffer.from("secret")) },
    { type: "resize", cols: 90, rows: 24 },
  ]);
  expect(parts).toEqual([]);
});

test("what stands for older output comes first", () => {
  const parts = new ContentBuilder();
  parts.begin("screen");
  parts.begin("");
  expect(parts.parts).toEqual([{ kind: "unclassified", text: "screen" }]);
});
