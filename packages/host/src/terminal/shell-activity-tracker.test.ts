import { setImmediate as turn } from "node:timers/promises";
import { CommandId } from "@nacre/contracts";
import { expect, test } from "vitest";
import type { Pty } from "../pty/pty.ts";
import type { Integration } from "../shell/integration.ts";
import { ShellActivityTracker } from "./shell-activity-tracker.ts";

type Parts = ConstructorParameters<typeof ShellActivityTracker>[0];

const detectionOf = (resumed: Parts["resumed"]): ShellActivityTracker =>
  new ShellActivityTracker({
    pty: { leader: { pid: 1, startTicks: 0 } } as Pty,
    integration: { shell: "bash", quality: "exact" } as Integration,
    modes: () => ({ bracketedPaste: false, alternateScreen: false }),
    resumed,
    append: () => Promise.reject(new Error("nothing is recorded here")),
    isBlocked: () => false,
    lastSequence: () => 1,
    handleChange: () => undefined,
    handleProblem: () => undefined,
  });

async function isReady(detection: ShellActivityTracker): Promise<boolean> {
  let isIt = false;
  void detection.ready.then(() => (isIt = true));
  await turn();
  return isIt;
}

test("a shell that starts takes input when it says so, or has ended", async () => {
  using detection = detectionOf(undefined);
  expect(await isReady(detection)).toBe(false);
  detection.handleExit();
  expect(await isReady(detection)).toBe(true);
});

test("a shell that another host started takes input at once, also in the middle of a command", async () => {
  using detection = detectionOf({
    command: {
      commandId: CommandId.parse("c1"),
      commandLine: "make",
      quality: "exact",
      startedAtMs: 0,
      isExpected: false,
    },
  });
  expect(await isReady(detection)).toBe(true);
});
