import { expect, test } from "vitest";
import { terminalId } from "../testing/terminal-row.ts";
import { parseAdoptionState, parseAdoptedId, serializeAdoptionState } from "./adoption-state.ts";

const id = terminalId("kept");

test("a memo is read as it was written", () => {
  const memo = { terminalId: id, mode: "pipe", strict: true } as const;
  expect(parseAdoptionState(serializeAdoptionState(memo))).toEqual(memo);
  expect(parseAdoptionState(undefined)).toBeUndefined();
});

test("of what another version means by an option, the most careful is taken", () => {
  const text = JSON.stringify({
    terminalId: id,
    inputPolicy: "quorum",
    inputRecording: 3,
    more: 1,
  });
  expect(parseAdoptionState(text)).toMatchObject({
    terminalId: id,
    inputPolicy: "holder",
    inputRecording: "off",
  });
});

test("what cannot be read is not taken for nothing, and names its terminal where it can", () => {
  const text = JSON.stringify({ terminalId: id, mode: "hologram" });
  expect(() => parseAdoptionState(text)).toThrow("cannot be read by this version");
  expect(parseAdoptedId(text)).toBe(id);
  expect(() => parseAdoptionState("no JSON")).toThrow("cannot be read by this version");
  expect(parseAdoptedId("no JSON")).toBeUndefined();
});
