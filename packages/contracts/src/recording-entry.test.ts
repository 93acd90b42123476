import { describe, expect, test } from "vitest";
import { lengthBucketOf } from "./entry-fields.ts";
import { ENTRIES, TERMINAL_ID } from "./fixtures.ts";
import {
  EntryType,
  FindRecordingEntriesInput,
  TerminalRecordingEntryInputSchema,
  TerminalRecordingEntrySchema,
} from "./recording-entry.ts";

const without = (value: object, key: string) =>
  Object.fromEntries(Object.entries(value).filter(([name]) => name !== key));

const fieldsRefused = (value: object): readonly string[] =>
  (TerminalRecordingEntrySchema.safeParse(value).error?.issues ?? []).map(({ path }) =>
    path.join("."),
  );

describe.each(Object.entries(ENTRIES))("an entry of type %s", (type, valid) => {
  test("is accepted as it is", () => {
    expect(TerminalRecordingEntrySchema.parse(valid)).toEqual(valid);
  });

  test.each(Object.keys(valid).filter((key) => key !== "type"))("needs %s", (key) => {
    expect(fieldsRefused(without(valid, key))).toEqual([key]);
  });

  test("refuses an unknown key and names it", () => {
    const { error } = TerminalRecordingEntrySchema.safeParse({ ...valid, foo: 1 });
    expect(error?.issues).toMatchObject([{ code: "unrecognized_keys", keys: ["foo"] }]);
  });

  test("is a known type", () => {
    expect(EntryType.options).toContain(type);
  });

  test("is appended without id and sequence", () => {
    const fact = without(without(valid, "id"), "sequence");
    expect(TerminalRecordingEntryInputSchema.parse(fact)).toEqual(fact);
    expect(TerminalRecordingEntryInputSchema.safeParse(valid).success).toBe(false);
  });
});

test("the types are exactly those of the union", () => {
  expect(Object.keys(ENTRIES)).toEqual(EntryType.options);
  expect(TerminalRecordingEntrySchema.options.map(({ shape }) => shape.type.value)).toEqual(
    EntryType.options,
  );
});

test("the sequence begins at 1", () => {
  expect(fieldsRefused({ ...ENTRIES.header, sequence: 0 })).toEqual(["sequence"]);
});

test("an unknown type is refused", () => {
  expect(fieldsRefused({ ...ENTRIES.header, type: "other" })).toEqual(["type"]);
});

describe("input", () => {
  const redacted = { ...without(ENTRIES.input, "data"), redacted: true, lengthBucket: "1-8" };

  test("may be redacted, with a length bucket instead of data", () => {
    expect(TerminalRecordingEntrySchema.parse(redacted)).toEqual(redacted);
  });

  test("that is redacted must not have data", () => {
    expect(fieldsRefused({ ...redacted, data: "secret" })).toEqual(["data"]);
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

test("output that says base64 must be base64", () => {
  const output = { ...ENTRIES.output, encoding: "base64" };
  expect(fieldsRefused({ ...output, data: "a" })).toEqual(["data"]);
  expect(fieldsRefused({ ...output, data: "/wA=" })).toEqual([]);
});

test("an exit may have no code", () => {
  expect(fieldsRefused({ ...ENTRIES.exit, exitCode: null })).toEqual([]);
  expect(fieldsRefused({ ...ENTRIES.exit, exitCode: null, signal: "SIGKILL" })).toEqual([]);
});

test("an exit by a signal has no exit code", () => {
  expect(fieldsRefused({ ...ENTRIES.exit, exitCode: 0, signal: "SIGKILL" })).toEqual(["exitCode"]);
});

test("entries are found by type, after a sequence, with a limit", () => {
  const query = { id: TERMINAL_ID, types: ["input"], after: 100, limit: 10 };
  expect(FindRecordingEntriesInput.parse(query)).toEqual(query);
  expect(FindRecordingEntriesInput.safeParse({ ...query, limit: 1001 }).success).toBe(false);
  expect(FindRecordingEntriesInput.safeParse({ ...query, types: ["other"] }).success).toBe(false);
});
