import type { TerminalId } from "@nacre/contracts";
import { NacreError } from "@nacre/contracts/error";
import { expect, test } from "vitest";
import { callWithRetry, withTimeLeft } from "./call-with-retry.ts";

const id = "terminal:1" as TerminalId;

test("a wait that is asked for again has what is left of its time", () => {
  const input = { id, until: [{ kind: "exit" as const }], timeoutMs: 4000 };
  expect(withTimeLeft("waitFor", input, 0)).toEqual(input);
  expect(withTimeLeft("waitFor", input, 1500)).toEqual({ ...input, timeoutMs: 2500 });
  expect(withTimeLeft("waitFor", input, 9000)).toEqual({ ...input, timeoutMs: 0 });
  expect(withTimeLeft("readOutput", { id, waitMs: 300 }, 100)).toEqual({ id, waitMs: 200 });
});

test("the time of a program is none of a wait", () => {
  const input = { id, commandLine: "make", timeoutMs: 4000 };
  expect(withTimeLeft("execCommand", input, 1500)).toBe(input);
  expect(withTimeLeft("readTerminal", { id }, 1500)).toEqual({ id });
});

test("what may be asked twice is asked of the next daemon", async () => {
  let asked = 0;
  const answer = await callWithRetry({
    connect: () =>
      Promise.resolve(async () => {
        if (++asked === 1) throw new NacreError("unavailable", "it ended");
        return asked;
      }),
    forget: () => undefined,
    isRepeatable: true,
  });
  expect(answer).toBe(2);
});
