import { expect, test } from "vitest";
import {
  describeCommand,
  describeEnding,
  describeState,
  type StateFacts,
} from "./terminal-state.ts";

const blocked = {
  reason: "diskFull",
  message: "the disk is full",
  suggestion: "Make room.",
  since: "2026-01-31T09:30:00.000Z",
} as const;

test.each<[StateFacts, string, string]>([
  [{ state: "creating" }, "starting", "info"],
  [{ state: "active" }, "running", "info"],
  [{ state: "killing" }, "ending", "warn"],
  [{ state: "failed" }, "did not start", "bad"],
  [{ state: "lost", lostReason: "machineRestarted" }, "lost", "warn"],
  [{ state: "exited", exitCode: 0 }, "exit 0", "good"],
  [{ state: "exited", exitCode: 3 }, "exit 3", "bad"],
  [{ state: "exited", exitCode: 130 }, "exit 130", "warn"],
  [{ state: "exited", exitCode: null, signal: "SIGHUP" }, "SIGHUP", "warn"],
  [{ state: "exited", exitCode: null }, "ended", "neutral"],
  [{ exitCode: 3 }, "exit 3", "bad"],
  [{}, "ended", "neutral"],
  [{ state: "active", recordingBlocked: blocked }, "disk full", "bad"],
])("%j is %s, %s", (facts, words, tone) => {
  expect(describeState(facts)).toMatchObject({ words, tone });
});

test("why a terminal is lost or waits for the disk is said beside it", () => {
  expect(describeState({ state: "lost", lostReason: "machineRestarted" }).details).toBe(
    "The machine was restarted",
  );
  expect(describeState({ state: "active", recordingBlocked: blocked }).details).toBe(
    "the disk is full. Make room.",
  );
});

test("a command runs, or ended well, badly, by Ctrl-C or unseen", () => {
  expect(describeCommand({})).toEqual({ words: "running", tone: "info" });
  expect(describeCommand({ lastSequence: 7, exitCode: 0 })).toEqual(
    describeEnding({ exitCode: 0 }),
  );
  expect(describeEnding({ exitCode: 2 })).toEqual({ words: "exit 2", tone: "bad" });
  expect(describeEnding({ signal: "SIGSEGV" })).toEqual({ words: "SIGSEGV", tone: "bad" });
  expect(describeEnding({ signal: "SIGINT" })).toEqual({ words: "SIGINT", tone: "warn" });
  expect(describeEnding({})).toMatchObject({ words: "ended", tone: "neutral" });
});
