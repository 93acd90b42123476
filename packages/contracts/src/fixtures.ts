// Valid values of the entity schemas, for tests to vary.
const WHEN = "2026-01-31T09:30:00.000Z";

/** The id of the terminal that the fixtures are about. */
export const TERMINAL_ID = "terminal:t1";

const shared = {
  id: "terminal_recording_entry:e1",
  terminalId: TERMINAL_ID,
  sequence: 1,
  occurredAt: WHEN,
  elapsedMs: 0,
};

/** One valid entry of each type. */
export const ENTRIES = {
  header: { ...shared, type: "header", cols: 80, rows: 24 },
  input: { ...shared, type: "input", data: "ls\r", by: "ann" },
  output: { ...shared, type: "output", data: "hi\r\n", offset: 0 },
  resize: { ...shared, type: "resize", cols: 100, rows: 30 },
  exit: { ...shared, type: "exit", exitCode: 0 },
  command: { ...shared, type: "command", commandId: "c1", commandLine: "ls", quality: "exact" },
  commandEnd: { ...shared, type: "commandEnd", commandId: "c1", endedBy: "marker" },
  claim: {
    ...shared,
    type: "claim",
    claim: { kind: "client", clientId: "ann" },
    epoch: 2,
    by: "ann",
  },
  title: { ...shared, type: "title", title: "build" },
  cwd: { ...shared, type: "cwd", cwd: "/tmp", quality: "exact" },
  clear: { ...shared, type: "clear" },
  marker: { ...shared, type: "marker", label: "here" },
  gap: { ...shared, type: "gap", lostBytes: 5, reason: "diskFull" },
} as const;

/** A valid owner. */
export const OWNER = { entityName: "Task", entityId: "task:1" } as const;

/** What a terminal can be created from. */
export const TERMINAL_INPUT = { owner: OWNER, workingDirectory: "/tmp" } as const;

/** The row of a terminal. */
export const TERMINAL_STORAGE = { id: TERMINAL_ID, ...TERMINAL_INPUT, createdAt: WHEN } as const;

/** A terminal as it is read. */
export const TERMINAL = {
  ...TERMINAL_STORAGE,
  recordingEntries: [ENTRIES.header],
  recording: { firstSequence: 1, lastSequence: 1, total: 1 },
  terminalPaneId: "pty",
  connected: true,
  dead: false,
  exitCode: null,
  screen: "",
} as const;
