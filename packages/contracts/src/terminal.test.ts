import { describe, expect, test } from "vitest";
import type { z } from "zod";
import {
  ENTRIES,
  OWNER,
  refusal,
  TERMINAL,
  TERMINAL_ID,
  TERMINAL_INPUT,
  TERMINAL_STORAGE,
} from "./fixtures.ts";
import { parse } from "./parse.ts";
import { TerminalRecordingEntrySchema } from "./recording-entry.ts";
import { TerminalSendInputDataSchema, TerminalSendInputSchema } from "./send-input.ts";
import {
  ReadTerminalInput,
  RECORDING_WINDOW_ENTRIES,
  TerminalSchema,
  TerminalStorageSchema,
} from "./terminal.ts";
import {
  TerminalInputSchema,
  TerminalLaunchOptionsSchema,
  TerminalOwnerReferenceSchema,
} from "./terminal-input.ts";

const EIGHT: readonly (readonly [string, z.ZodType, object])[] = [
  ["TerminalSendInputDataSchema", TerminalSendInputDataSchema, { data: "a" }],
  ["TerminalSendInputSchema", TerminalSendInputSchema, { id: TERMINAL_ID, data: "a" }],
  ["TerminalOwnerReferenceSchema", TerminalOwnerReferenceSchema, OWNER],
  ["TerminalLaunchOptionsSchema", TerminalLaunchOptionsSchema, { command: "sh", args: ["-l"] }],
  ["TerminalInputSchema", TerminalInputSchema, TERMINAL_INPUT],
  ["TerminalStorageSchema", TerminalStorageSchema, TERMINAL_STORAGE],
  ["TerminalSchema", TerminalSchema, TERMINAL],
  ["TerminalRecordingEntrySchema", TerminalRecordingEntrySchema, ENTRIES.output],
];

describe.each(EIGHT)("%s", (_name, schema, valid) => {
  test("accepts a valid value and gives it back unchanged", () => {
    expect(parse(schema, valid)).toEqual(valid);
  });

  test("refuses an unknown key and names it", () => {
    const error = refusal(schema, { ...valid, foo: 1 });
    expect(error).toMatchObject({ code: "invalid_argument", field: "foo" });
    expect(error.message).toContain("foo");
  });
});

describe("reading a terminal", () => {
  test("carries a bounded window of entries", () => {
    const entries = Array.from({ length: RECORDING_WINDOW_ENTRIES + 1 }, () => ENTRIES.header);
    expect(refusal(TerminalSchema, { ...TERMINAL, recordingEntries: entries })).toMatchObject({
      field: "recordingEntries",
    });
  });

  test("names the terminal and nothing else", () => {
    expect(parse(ReadTerminalInput, { id: TERMINAL_ID })).toEqual({ id: TERMINAL_ID });
    expect(refusal(ReadTerminalInput, {})).toMatchObject({ field: "id" });
    expect(refusal(ReadTerminalInput, { id: "t1" })).toMatchObject({ field: "id" });
    expect(refusal(ReadTerminalInput, { id: TERMINAL_ID, foo: 1 })).toMatchObject({ field: "foo" });
  });

  test.each([
    { title: "build", cwd: "/tmp/x", cwdFallback: true },
    { cols: 80, rows: 24, chunk: "\ufffd", truncated: true },
    { dead: true, connected: false, signal: "SIGHUP" },
    { recording: { ...TERMINAL.recording, state: "degraded" } },
  ])("may tell %j", (part) => {
    expect(parse(TerminalSchema, { ...TERMINAL, ...part })).toEqual({ ...TERMINAL, ...part });
  });

  test.each([
    ["claim", { claim: undefined }],
    ["claim.epoch", { claim: { ...TERMINAL.claim, epoch: 0 } }],
    ["title", { title: "\u001b[2J" }],
    ["cwd", { cwd: "tmp" }],
    ["cwdFallback", { cwdFallback: false }],
    ["recording.state", { recording: { ...TERMINAL.recording, state: undefined } }],
    ["rows", { cols: 80 }],
    ["cols", { rows: 24 }],
    ["exitCode", { exitCode: 1, signal: "SIGHUP" }],
  ])("refuses a wrong %s", (field, part) => {
    expect(refusal(TerminalSchema, { ...TERMINAL, ...part })).toMatchObject({ field });
  });

  test.each([" /tmp", "/tmp\n", "/tmp "])("keeps no white space around %j", (workingDirectory) => {
    const row = { ...TERMINAL_STORAGE, workingDirectory };
    expect(refusal(TerminalStorageSchema, row)).toMatchObject({ field: "workingDirectory" });
  });

  test.each(["/", "/a b", "/a\nb"])("keeps the directory %j as it is", (workingDirectory) => {
    const row = { ...TERMINAL_STORAGE, workingDirectory };
    expect(parse(TerminalStorageSchema, row)).toEqual(row);
  });

  test("refuses a time that is not ISO 8601 in UTC", () => {
    for (const createdAt of ["yesterday", "2026-02-31T00:00:00Z", "2026-01-31T09:30:00+01:00", 1]) {
      expect(refusal(TerminalStorageSchema, { ...TERMINAL_STORAGE, createdAt })).toMatchObject({
        field: "createdAt",
      });
    }
  });

  test("stores nothing that lives", () => {
    expect(Object.keys(TerminalStorageSchema.shape).toSorted()).toEqual(
      ["args", "command", "createdAt", "id", "name", "owner", "workingDirectory"].toSorted(),
    );
  });
});
