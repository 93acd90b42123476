// Valid entities for tests to vary, and a helper for refusals.
import type { z } from "zod";
import { NacreError } from "./nacre-error.ts";
import { parse } from "./parse.ts";

const WHEN = "2026-01-31T09:30:00.000Z";

export const TERMINAL_ID = "terminal:t1";

const shared = {
  id: "terminal_recording_entry:e1",
  terminalId: TERMINAL_ID,
  sequence: 1,
  occurredAt: WHEN,
  elapsedMs: 0,
};

export const ENTRIES = {
  header: { ...shared, type: "header", cols: 80, rows: 24 },
  input: { ...shared, type: "input", data: "ls\r" },
  output: { ...shared, type: "output", data: "hi\r\n", offset: 0 },
  resize: { ...shared, type: "resize", cols: 100, rows: 30 },
  exit: { ...shared, type: "exit", exitCode: 0 },
  command: { ...shared, type: "command", commandId: "c1", commandLine: "ls", quality: "exact" },
  commandEnd: { ...shared, type: "commandEnd", commandId: "c1", endedBy: "marker" },
  claim: { ...shared, type: "claim", claim: { kind: "client", clientId: "ann" }, epoch: 1 },
  title: { ...shared, type: "title", title: "build" },
  cwd: { ...shared, type: "cwd", cwd: "/tmp", quality: "exact" },
  clear: { ...shared, type: "clear" },
  marker: { ...shared, type: "marker", label: "here" },
  gap: { ...shared, type: "gap", lostBytes: 5, reason: "diskFull" },
} as const;

export const OWNER = { entityName: "Task", entityId: "task:1" } as const;

export const TERMINAL_INPUT = { owner: OWNER, workingDirectory: "/tmp" } as const;

export const TERMINAL_STORAGE = { id: TERMINAL_ID, ...TERMINAL_INPUT, createdAt: WHEN } as const;

export const TERMINAL = {
  ...TERMINAL_STORAGE,
  claim: { claim: ENTRIES.claim.claim, epoch: 1, since: WHEN },
  recordingEntries: [ENTRIES.header, { ...ENTRIES.claim, sequence: 2 }],
  recording: { firstSequence: 1, lastSequence: 2, total: 2, state: "ok" },
  terminalPaneId: "pty",
  connected: true,
  state: "active",
  commandDetection: "exact",
  inputPolicy: "open",
  viewers: 0,
  dead: false,
  exitCode: null,
  screen: "",
} as const;

/** Parses and returns the NacreError that this must throw. */
export function refusal(schema: z.ZodType, value: unknown): NacreError {
  try {
    parse(schema, value);
  } catch (error) {
    if (error instanceof NacreError) return error;
    throw error;
  }
  throw new Error("the value was accepted");
}
