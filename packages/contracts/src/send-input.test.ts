import { describe, expect, test } from "vitest";
import { refusal, TERMINAL_ID } from "./fixtures.ts";
import { parse } from "./parse.ts";
import { MAX_INPUT_BYTES, MAX_KEYS, TerminalSendInputSchema } from "./send-input.ts";

describe("sending input", () => {
  const refused = (value: object) =>
    refusal(TerminalSendInputSchema, { id: TERMINAL_ID, ...value });
  const accepted = (value: object) => parse(TerminalSendInputSchema, { id: TERMINAL_ID, ...value });

  test("needs data or a size", () => {
    expect(refused({})).toMatchObject({
      field: "data",
      message: "data: needs `data` or `keys`, or both `cols` and `rows`",
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
    { keys: ["C-c", "Enter"] },
    { keys: ["C-c"], cols: 80, rows: 24 },
    { data: "a", epoch: 3 },
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

  test("takes keys or data, not both", () => {
    expect(refused({ keys: ["Enter"], data: "a" })).toMatchObject({ field: "keys" });
    expect(refused({ keys: ["Enter"], literal: false })).toMatchObject({ field: "keys" });
  });

  test("takes a bounded number of keys, each with a name", () => {
    const keys = Array.from({ length: MAX_KEYS }, () => "a");
    expect(() => accepted({ keys })).not.toThrow();
    expect(refused({ keys: [...keys, "a"] })).toMatchObject({ field: "keys" });
    expect(refused({ keys: [] })).toMatchObject({ field: "keys" });
    for (const key of ["", "\u001b", "x".repeat(65)]) {
      expect(refused({ keys: ["Enter", key] })).toMatchObject({ field: "keys.1" });
    }
  });

  test.each(["", "a\nb", "x".repeat(65)])("refuses %j as the name of a key", (data) => {
    expect(refused({ data, literal: false })).toMatchObject({ field: "data" });
    expect(() => accepted({ data, literal: true })).not.toThrow();
  });

  test("refuses an epoch that no claim can have", () => {
    expect(refused({ data: "a", epoch: 0 })).toMatchObject({ field: "epoch" });
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
