import { describe, expect, test } from "vitest";
import { lengthBucketOf, MAX_ENTRY_BYTES } from "./entry-fields.ts";
import { ENTRIES } from "./fixtures.ts";
import {
  EntryType,
  TerminalRecordingEntryInputSchema,
  TerminalRecordingEntrySchema,
} from "./recording-entry.ts";

const without = (value: object, ...keys: readonly string[]) =>
  Object.fromEntries(Object.entries(value).filter(([name]) => !keys.includes(name)));

const refusedBy = (
  schema: typeof TerminalRecordingEntrySchema | typeof TerminalRecordingEntryInputSchema,
  value: object,
): readonly string[] =>
  (schema.safeParse(value).error?.issues ?? []).map(({ path }) => path.join("."));

/** The fields refused in an entry, which are the same before it is appended. */
function fieldsRefused(value: object): readonly string[] {
  const fact = without(value, "id", "sequence");
  const ofFact = refusedBy(TerminalRecordingEntryInputSchema, fact);
  const ofEntry = refusedBy(TerminalRecordingEntrySchema, value);
  expect(ofFact).toEqual(ofEntry.filter((field) => field !== "id" && field !== "sequence"));
  return ofEntry;
}

describe.each(Object.entries(ENTRIES))("an entry of type %s", (type, valid) => {
  test("is accepted as it is", () => {
    expect(TerminalRecordingEntrySchema.parse(valid)).toEqual(valid);
  });

  test.each(Object.keys(valid).filter((key) => key !== "type"))("needs %s", (key) => {
    expect(fieldsRefused(without(valid, key))).toEqual([key]);
  });

  test("refuses an unknown key and names it, also before it is appended", () => {
    const unknown = { code: "unrecognized_keys", keys: ["foo"] };
    const { error } = TerminalRecordingEntrySchema.safeParse({ ...valid, foo: 1 });
    expect(error?.issues).toMatchObject([unknown]);
    const fact = { ...without(valid, "id", "sequence"), foo: 1 };
    expect(TerminalRecordingEntryInputSchema.safeParse(fact).error?.issues).toMatchObject([
      unknown,
    ]);
  });

  test("is a known type", () => {
    expect(EntryType.options).toContain(type);
  });

  test("is appended without id and sequence", () => {
    const fact = without(valid, "id", "sequence");
    expect(TerminalRecordingEntryInputSchema.parse(fact)).toEqual(fact);
    expect(TerminalRecordingEntryInputSchema.safeParse(valid).success).toBe(false);
  });
});

test("the types are exactly those of both unions", () => {
  expect(Object.keys(ENTRIES)).toEqual(EntryType.options);
  for (const { options } of [TerminalRecordingEntrySchema, TerminalRecordingEntryInputSchema]) {
    expect(options.map(({ shape }) => shape.type.value)).toEqual(EntryType.options);
  }
});

test("the sequence begins at 1", () => {
  expect(fieldsRefused({ ...ENTRIES.header, sequence: 0 })).toEqual(["sequence"]);
});

test("an unknown type is refused", () => {
  expect(fieldsRefused({ ...ENTRIES.header, type: "other" })).toEqual(["type"]);
});

test.each([
  { ...ENTRIES.header, cwdFallback: true },
  { ...ENTRIES.input, by: "ann" },
  { ...ENTRIES.claim, by: "ann" },
  { ...ENTRIES.claim, reason: "handover", note: "the tests are left" },
  { ...ENTRIES.output, stream: "stderr" },
  { ...ENTRIES.exit, drained: false, outputBytes: 12 },
  { ...ENTRIES.exit, exitCode: null },
  { ...ENTRIES.exit, exitCode: null, signal: "SIGKILL" },
  { ...ENTRIES.command, commandLineTruncated: true },
  { ...ENTRIES.commandEnd, signal: "SIGINT" },
  { ...ENTRIES.commandEnd, endedBy: "restart" },
  { ...ENTRIES.title, title: "" },
  { ...ENTRIES.marker, label: "" },
  { ...ENTRIES.output, data: "/wA=", encoding: "base64" },
])("%j is accepted", (entry) => {
  expect(fieldsRefused(entry)).toEqual([]);
  expect(TerminalRecordingEntrySchema.parse(entry)).toEqual(entry);
});

test.each([
  ["cwdFallback", { ...ENTRIES.header, cwdFallback: false }],
  ["by", { ...ENTRIES.input, by: "a b" }],
  ["reason", { ...ENTRIES.claim, reason: "other" }],
  ["note", { ...ENTRIES.claim, note: "a\nb" }],
  ["note", { ...ENTRIES.claim, note: "x".repeat(1025) }],
  ["stream", { ...ENTRIES.output, stream: "stdout" }],
  ["drained", { ...ENTRIES.exit, drained: true }],
  ["outputBytes", { ...ENTRIES.exit, outputBytes: -1 }],
  ["exitCode", { ...ENTRIES.exit, exitCode: 0, signal: "SIGKILL" }],
  ["exitCode", { ...ENTRIES.commandEnd, exitCode: 130, signal: "SIGINT" }],
  ["commandLineTruncated", { ...ENTRIES.command, commandLineTruncated: false }],
  ["commandLine", { ...ENTRIES.command, commandLine: "\ud800" }],
  ["title", { ...ENTRIES.title, title: "a\u0007b" }],
  ["title", { ...ENTRIES.title, title: "\ud800" }],
  ["label", { ...ENTRIES.marker, label: "a\nb" }],
  ["data", { ...ENTRIES.output, data: "a", encoding: "base64" }],
  ["data", { ...ENTRIES.output, data: "\ud800" }],
  ["claim.turnId", { ...ENTRIES.claim, claim: { kind: "session", session: "s", turnId: "" } }],
])("a wrong %s is refused", (field, entry) => {
  expect(fieldsRefused(entry)).toEqual([field]);
});

describe("input", () => {
  const redacted = { ...without(ENTRIES.input, "data"), redacted: true, lengthBucket: "1-8" };

  test("may be redacted, with a length bucket instead of data", () => {
    expect(fieldsRefused(redacted)).toEqual([]);
    expect(TerminalRecordingEntrySchema.parse(redacted)).toEqual(redacted);
  });

  test("that is redacted must not have data", () => {
    expect(fieldsRefused({ ...redacted, data: "secret" })).toEqual(["data"]);
  });

  test("that is redacted must not have an encoding", () => {
    expect(fieldsRefused({ ...redacted, encoding: "base64" })).toEqual(["encoding"]);
  });

  test("that is redacted needs its length bucket", () => {
    expect(fieldsRefused(without(redacted, "lengthBucket"))).toEqual(["lengthBucket"]);
  });

  test("that is not redacted has no length bucket", () => {
    expect(fieldsRefused({ ...ENTRIES.input, lengthBucket: "1-8" })).toEqual(["lengthBucket"]);
  });

  test.each([
    [0, "0"],
    [1, "1-8"],
    [8, "1-8"],
    [9, "9-32"],
    [33, "33-128"],
    [128, "33-128"],
    [129, "129+"],
  ])("of %i bytes falls into the bucket %s", (byteCount, bucket) => {
    expect(lengthBucketOf(byteCount)).toBe(bucket);
  });
});

describe("output", () => {
  const redacted = { ...without(ENTRIES.output, "data"), redacted: true };

  test("may be purged, with or without its length", () => {
    expect(fieldsRefused(redacted)).toEqual([]);
    expect(fieldsRefused({ ...redacted, lengthBytes: 4 })).toEqual([]);
  });

  test("that is purged must not have data", () => {
    expect(fieldsRefused({ ...redacted, data: "secret" })).toEqual(["data"]);
    expect(fieldsRefused({ ...redacted, encoding: "base64" })).toEqual(["encoding"]);
  });

  test("that is not purged tells its length by its data", () => {
    expect(fieldsRefused({ ...ENTRIES.output, lengthBytes: 4 })).toEqual(["lengthBytes"]);
  });
});

test.each(["input", "output"] as const)("%s has at most 1 MiB, in either form", (type) => {
  const bytes = "a".repeat(MAX_ENTRY_BYTES);
  const entry = ENTRIES[type];
  expect(fieldsRefused({ ...entry, data: bytes })).toEqual([]);
  expect(fieldsRefused({ ...entry, data: btoa(bytes), encoding: "base64" })).toEqual([]);
  expect(fieldsRefused({ ...entry, data: `${bytes}a` })).toEqual(["data"]);
  expect(fieldsRefused({ ...entry, data: `${bytes.slice(1)}é` })).toEqual(["data"]);
  const tooLong = btoa(`${bytes}a`);
  expect(fieldsRefused({ ...entry, data: tooLong, encoding: "base64" })).toEqual(["data"]);
});
