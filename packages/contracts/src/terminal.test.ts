import { describe, expect, test } from "vitest";
import type { z } from "zod";
import { NacreError } from "./error.ts";
import {
  ENTRIES,
  OWNER,
  TERMINAL,
  TERMINAL_ID,
  TERMINAL_INPUT,
  TERMINAL_STORAGE,
} from "./fixtures.ts";
import { parse } from "./parse.ts";
import { TerminalRecordingEntrySchema } from "./recording-entry.ts";
import {
  MAX_INPUT_BYTES,
  RECORDING_WINDOW_ENTRIES,
  TerminalInputSchema,
  TerminalLaunchOptionsSchema,
  TerminalOwnerReferenceSchema,
  TerminalSchema,
  TerminalSendInputDataSchema,
  TerminalSendInputSchema,
  TerminalStorageSchema,
} from "./terminal.ts";

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

/** The error that parsing throws, which must be one of ours. */
function refusal(schema: z.ZodType, value: unknown): NacreError {
  try {
    parse(schema, value);
  } catch (error) {
    if (error instanceof NacreError) return error;
    throw error;
  }
  throw new Error("the value was accepted");
}

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

describe("sending input", () => {
  const refused = (value: object) =>
    refusal(TerminalSendInputSchema, { id: TERMINAL_ID, ...value });
  const accepted = (value: object) => parse(TerminalSendInputSchema, { id: TERMINAL_ID, ...value });

  test("needs data or a size", () => {
    expect(refused({})).toMatchObject({
      field: "data",
      message: "data: needs `data`, or both `cols` and `rows`",
    });
  });

  test("needs rows beside cols, and cols beside rows", () => {
    expect(refused({ cols: 80 })).toMatchObject({ field: "rows" });
    expect(refused({ data: "a", cols: 80 })).toMatchObject({ field: "rows" });
    expect(refused({ rows: 24 })).toMatchObject({ field: "cols" });
  });

  test.each([
    { data: "" },
    { data: "\u0000\u0003" },
    { cols: 80, rows: 24 },
    { data: "a", cols: 80, rows: 24 },
    { data: "AAE=", encoding: "base64" },
    { data: "Enter", literal: false },
  ])("accepts %j", (value) => {
    expect(accepted(value)).toEqual({ id: TERMINAL_ID, ...value });
  });

  test("refuses data that is not base64 when it should be", () => {
    expect(refused({ data: "a", encoding: "base64" })).toMatchObject({ field: "data" });
  });

  test("refuses an encoding without data", () => {
    expect(refused({ encoding: "base64", cols: 80, rows: 24 })).toMatchObject({ field: "data" });
  });

  test("refuses half of a surrogate pair", () => {
    expect(refused({ data: "\udc00" })).toMatchObject({ field: "data" });
  });

  test("refuses key names in base64", () => {
    expect(refused({ data: "AAE=", encoding: "base64", literal: false })).toMatchObject({
      field: "data",
    });
  });

  test("takes 1 MiB and not one byte more, counted in UTF-8", () => {
    expect(() => accepted({ data: "a".repeat(MAX_INPUT_BYTES) })).not.toThrow();
    const tooLarge = { code: "payload_too_large", field: "data" };
    expect(refused({ data: "a".repeat(MAX_INPUT_BYTES + 1) })).toMatchObject(tooLarge);
    expect(refused({ data: `${"é".repeat(MAX_INPUT_BYTES / 2)}a` })).toMatchObject(tooLarge);
    const encoded = btoa("a".repeat(MAX_INPUT_BYTES + 1));
    expect(refused({ data: encoded, encoding: "base64" })).toMatchObject(tooLarge);
  });

  test.each([0, 1.5, 1001, "80", -1])("refuses %j columns", (cols) => {
    expect(refused({ cols, rows: 24 })).toMatchObject({ field: "cols" });
  });

  test.each(["t1", "terminal:", "terminal:../x", "terminal:a.b", "terminal:a\n"])(
    "refuses the id %j",
    (id) => {
      expect(refusal(TerminalSendInputSchema, { id, data: "a" })).toMatchObject({ field: "id" });
    },
  );
});

describe("creating a terminal", () => {
  const refused = (value: object) => refusal(TerminalInputSchema, { ...TERMINAL_INPUT, ...value });

  test("accepts any owner name", () => {
    for (const entityName of ["System", "Repository", "Mission", "Task", "AgentExecution", "Foo"]) {
      const owner = { entityName, entityId: "1", attributes: { nested: { deep: [1, null] } } };
      expect(parse(TerminalInputSchema, { ...TERMINAL_INPUT, owner }).owner).toEqual(owner);
    }
  });

  test("refuses an id and entries, which are not the owner's to choose", () => {
    expect(refused({ id: TERMINAL_ID })).toMatchObject({ field: "id" });
    expect(refused({ recordingEntries: [] })).toMatchObject({ field: "recordingEntries" });
  });

  test("refuses NUL wherever the operating system would stop at it", () => {
    expect(refused({ workingDirectory: "/a\u0000" })).toMatchObject({ field: "workingDirectory" });
    expect(refused({ command: "a\u0000" })).toMatchObject({ field: "command" });
    expect(refused({ args: ["ok", "a\u0000"] })).toMatchObject({ field: "args.1" });
    expect(refused({ env: { A: "a\u0000" } })).toMatchObject({ field: "env.A" });
    expect(refused({ name: "a\u0000" })).toMatchObject({ field: "name" });
  });

  test("refuses a name that could drive the terminal it is listed in", () => {
    expect(refused({ name: "\u001b[2J" })).toMatchObject({ field: "name" });
  });

  test.each(["", "tmp", "./tmp", "~/x"])("refuses the relative directory %j", (directory) => {
    expect(refused({ workingDirectory: directory })).toMatchObject({ field: "workingDirectory" });
  });

  test.each(["/", "/tmp/a b\n", "C:\\work", "C:/work", "\\\\share\\work"])(
    "accepts the absolute directory %j",
    (workingDirectory) => {
      const parsed = parse(TerminalInputSchema, { ...TERMINAL_INPUT, workingDirectory });
      expect(parsed).toMatchObject({ workingDirectory });
    },
  );

  test("refuses a variable with an impossible name", () => {
    expect(refused({ env: { "A=B": "1" } }).field).toContain("env");
  });

  test("refuses attributes that would make the row wide", () => {
    const attributes = { note: "x".repeat(20_000) };
    expect(refused({ owner: { ...OWNER, attributes } })).toMatchObject({
      field: "owner.attributes",
    });
  });
});

describe("reading a terminal", () => {
  test("carries a bounded window of entries", () => {
    const entries = Array.from({ length: RECORDING_WINDOW_ENTRIES + 1 }, () => ENTRIES.header);
    expect(refusal(TerminalSchema, { ...TERMINAL, recordingEntries: entries })).toMatchObject({
      field: "recordingEntries",
    });
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
