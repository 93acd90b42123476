import { NacreError } from "@nacre/contracts";
import { expect, test } from "vitest";
import { z } from "zod";
import { checkArguments } from "./check-arguments.ts";

const Input = z.strictObject({
  terminal_id: z.string(),
  command: z.string().min(1),
  timeout_ms: z.int().optional(),
});

const refusalOf = (given: unknown): NacreError => {
  try {
    checkArguments(Input, given);
  } catch (error) {
    if (error instanceof NacreError) return error;
  }
  throw new Error("it was taken");
};

test("S-L12: everything that is wrong is named, unknown names first and with what was meant", () => {
  const error = refusalOf({ cmd: "x", terminalId: "a", timeout_ms: "soon", color: 1 });
  expect(error).toMatchObject({ code: "invalid_argument", field: "cmd" });
  expect(error.message.split("; ")).toEqual([
    "cmd: is unknown (did you mean command?)",
    "terminalId: is unknown (did you mean terminal_id?)",
    "color: is unknown",
    "terminal_id: is missing",
    "command: is missing",
    expect.stringMatching(/^timeout_ms: .*number/) as string,
  ]);
  expect(error.suggestion).toBe("Send what the tool takes: terminal_id, command, timeout_ms.");
});

test("what is right comes back", () => {
  const given = { terminal_id: "a", command: "b" };
  expect(checkArguments(Input, given)).toEqual(given);
});

test("what is no object is said to be none", () => {
  expect(refusalOf("text")).toMatchObject({ field: "arguments" });
});
