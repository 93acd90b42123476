import { TerminalRecordingEntrySchema, TerminalSchema } from "@nacre/contracts";

const WHEN = "2026-01-31T09:30:00.000Z";

/** An output entry of a terminal. */
export const outputEntry = (uid: string, sequence: number, data = "hi\r\n") =>
  TerminalRecordingEntrySchema.parse({
    id: `terminal_recording_entry:${uid}-${sequence}`,
    terminalId: `terminal:${uid}`,
    sequence,
    occurredAt: WHEN,
    elapsedMs: 0,
    type: "output",
    data,
    offset: 0,
  });

/** A terminal as readers see it, with so many entries. */
export const terminalData = (uid: string, entries = 0) =>
  TerminalSchema.parse({
    id: `terminal:${uid}`,
    owner: { entityName: "Task", entityId: "7" },
    workingDirectory: "/tmp",
    createdAt: WHEN,
    claim: { claim: { kind: "client", clientId: "ann" }, epoch: 1, since: WHEN },
    recordingEntries: Array.from({ length: entries }, (_, index) => outputEntry(uid, index + 1)),
    recording: { firstSequence: 1, lastSequence: entries + 2, total: entries + 2, state: "ok" },
    terminalPaneId: "pty",
    connected: true,
    state: "active",
    commandDetection: "exact",
    inputPolicy: "open",
    viewers: 0,
    dead: false,
    exitCode: null,
    screen: "",
  });
