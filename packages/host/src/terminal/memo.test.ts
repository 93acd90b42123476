import { expect, test } from "vitest";
import { terminalId } from "../testing/terminal-row.ts";
import { readMemo, readMemoId, writeMemo } from "./memo.ts";

const id = terminalId("kept");

test("a memo is read as it was written", () => {
  const memo = { terminalId: id, mode: "pipe", strict: true } as const;
  expect(readMemo(writeMemo(memo))).toEqual(memo);
  expect(readMemo(undefined)).toBeUndefined();
});

test("of what another version means by an option, the most careful is taken", () => {
  const text = JSON.stringify({
    terminalId: id,
    inputPolicy: "quorum",
    inputRecording: 3,
    more: 1,
  });
  expect(readMemo(text)).toMatchObject({
    terminalId: id,
    inputPolicy: "holder",
    inputRecording: "off",
  });
});

test("what cannot be read is not taken for nothing, and names its terminal where it can", () => {
  const text = JSON.stringify({ terminalId: id, mode: "hologram" });
  expect(() => readMemo(text)).toThrow("cannot be read by this version");
  expect(readMemoId(text)).toBe(id);
  expect(() => readMemo("no JSON")).toThrow("cannot be read by this version");
  expect(readMemoId("no JSON")).toBeUndefined();
});
