import type { OperationInput } from "@nacre/contracts";
import { expect, test } from "vitest";
import { ScriptedCaller } from "../testing/scripted-caller.ts";
import { waitTool } from "./read.ts";

const terminal_id = "terminal:a1";

/** A terminal that wrote nothing, where each wait ends with what it waits for. */
const caller = () =>
  new ScriptedCaller({
    waitFor: ({ until, timeoutMs }: OperationInput<"waitFor">) => ({
      outcome: timeoutMs === 0 ? "timeout" : until[0]?.kind,
      sequence: 5,
    }),
    readOutput: ({ position }: OperationInput<"readOutput">) => ({
      data: "",
      position,
      ended: false,
    }),
  });

test.each([
  [{ until: "exit" }, { kind: "exit" }, undefined],
  [{ until: "prompt" }, { kind: "prompt" }, undefined],
  [{ until: "input_needed" }, { kind: "inputNeeded" }, undefined],
  [{ until: "quiet" }, { kind: "idle", quietMs: 500 }, undefined],
  [{ until: "screen_stable", quiet_ms: 80 }, { kind: "screenStable", quietMs: 80 }, undefined],
  // It counts from the call, also when another daemon goes on with the wait.
  [{ until: "command_end" }, { kind: "commandEnd" }, 5],
  [{ until: "command_end", command_id: "c1" }, { kind: "commandEnd", commandId: "c1" }, undefined],
  // A text may have been written before anybody waits for it.
  [{ until: "text", text: "ready" }, { kind: "text", text: "ready" }, 0],
  [{ until: "regex", pattern: "^ok" }, { kind: "regex", pattern: "^ok" }, 0],
  [{ until: "text", text: "ready", cursor: "7:3" }, { kind: "text", text: "ready" }, 7],
])("%j waits for %j", async (given, condition, after) => {
  const scripted = caller();
  const answer = await waitTool.use({ terminal_id, ...given }, scripted.use);
  expect(answer).toMatchObject({ outcome: given.until, terminal_id, still_running: true });
  const waits = scripted.asked.filter(([name]) => name === "waitFor").map(([, input]) => input);
  expect(waits).toContainEqual({
    id: terminal_id,
    until: [condition],
    timeoutMs: 30_000,
    ...(after === undefined ? {} : { after }),
  });
});

test.each([
  [{ until: "text" }, "text"],
  [{ until: "regex" }, "pattern"],
  [{ until: "text", text: "x", cursor: "soon" }, "cursor"],
  [{ until: "never" }, "until"],
])("%j is refused for its %s", async (given, field) => {
  const scripted = caller();
  await expect(waitTool.use({ terminal_id, ...given }, scripted.use)).rejects.toMatchObject({
    code: "invalid_argument",
    field,
  });
  expect(scripted.asked).toEqual([]);
});
