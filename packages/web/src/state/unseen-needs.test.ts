import { TerminalSummary } from "@nacre/contracts";
import { expect, test } from "vitest";
import { markSeen, unseenNeeds } from "./seen.ts";

const AT = "2026-01-31T09:30:00.000Z";

/** A terminal whose command failed. */
const failedAt = (commandId: string): TerminalSummary =>
  TerminalSummary.parse({
    id: "terminal:t1",
    owner: { entityName: "Task", entityId: "1" },
    createdAt: AT,
    title: "shell",
    state: "active",
    claim: { claim: { kind: "client", clientId: "somebody" }, epoch: 1, since: AT },
    exitCode: null,
    commandDetection: "exact",
    inputPolicy: "open",
    viewers: 0,
    lastCommand: {
      commandId,
      terminalId: "terminal:t1",
      commandLine: "make",
      firstSequence: 1,
      lastSequence: 2,
      exitCode: 2,
      startedAt: AT,
      endedBy: "marker",
      quality: "exact",
    },
  });

test("what somebody looked at needs nobody, until the next command fails", () => {
  markSeen(failedAt("c1"));
  expect(unseenNeeds(failedAt("c1"))).toEqual([]);
  expect(unseenNeeds(failedAt("c2"))).toHaveLength(1);
});
