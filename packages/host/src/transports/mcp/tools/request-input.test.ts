import { NacreError } from "@nacre/contracts";
import { expect, test } from "vitest";
import { ScriptedCaller } from "../testing/scripted-caller.ts";
import { requestInputTool } from "./request-input.ts";

const given = { terminal_id: "terminal:a1", prompt: "the password", timeout_ms: 60_000 };

interface Moment {
  /** Entries behind the question. */
  readonly entries: readonly object[];
  /** Since when the program asks, where it does. */
  readonly asksSince?: string;
}

/** A terminal at one moment after the other, one for each look at it; the last stays. */
function terminalAt(...moments: readonly Moment[]): ScriptedCaller {
  let looks = 0;
  const now = (): Moment | undefined => moments[Math.min(looks, moments.length) - 1];
  return new ScriptedCaller({
    markRecording: () => ({ sequence: 6 }),
    findRecordingEntries: () => {
      looks++;
      return { entries: now()?.entries, truncated: false };
    },
    waitFor: () => {
      const since = now()?.asksSince;
      return since === undefined
        ? { outcome: "timeout", sequence: 5 }
        : { outcome: "inputNeeded", sequence: 5, inputNeeded: { kind: "secret", since } };
    },
  });
}

const TYPED = { type: "input", data: "hunter2\r" };

test("the answer is there when somebody has typed it to its end, and is not told", async () => {
  const caller = terminalAt(
    { entries: [], asksSince: "10:00" },
    { entries: [TYPED], asksSince: "10:00" },
    { entries: [TYPED, TYPED] },
  );
  const answer = await requestInputTool.use(given, caller.use);
  expect(answer).toEqual({
    outcome: "answered",
    terminal_id: "terminal:a1",
    still_running: true,
    cursor: "5",
  });
  expect(JSON.stringify(answer)).not.toContain("hunter2");
  expect(caller.asked.filter(([name]) => name === "findRecordingEntries")).toHaveLength(3);
  expect(caller.asked).toContainEqual([
    "markRecording",
    { id: "terminal:a1", label: "the password" },
  ]);
});

test("a program that asks once more was answered", async () => {
  const caller = terminalAt(
    { entries: [], asksSince: "10:00" },
    { entries: [TYPED], asksSince: "10:01" },
  );
  expect(await requestInputTool.use(given, caller.use)).toMatchObject({ outcome: "answered" });
});

test("where nobody can tell whether it asks, what was typed is the answer", async () => {
  const caller = terminalAt({ entries: [TYPED] });
  expect(await requestInputTool.use(given, caller.use)).toMatchObject({ outcome: "answered" });
});

test("a program that ends is not waited for", async () => {
  const caller = terminalAt({ entries: [], asksSince: "10:00" }, { entries: [{ type: "exit" }] });
  expect(await requestInputTool.use(given, caller.use)).toMatchObject({
    outcome: "exited",
    still_running: false,
  });
});

test("nobody waits for ever, and who cancels waits no longer", async () => {
  const quiet = terminalAt({ entries: [], asksSince: "10:00" });
  expect(await requestInputTool.use({ ...given, timeout_ms: 1 }, quiet.use)).toMatchObject({
    outcome: "no_answer",
  });
  const leaving = terminalAt({ entries: [], asksSince: "10:00" });
  const using = requestInputTool.use(given, leaving.use);
  leaving.leave();
  await expect(using).rejects.toThrow("aborted");
});

test("what may not be changed is not waited for", async () => {
  const refusing = new ScriptedCaller({
    waitFor: () => ({ outcome: "timeout", sequence: 5 }),
    markRecording: () => {
      throw new NacreError("claim_held", "somebody else drives it");
    },
  });
  await expect(requestInputTool.use(given, refusing.use)).rejects.toMatchObject({
    code: "claim_held",
  });
});
