import { TerminalId, type TerminalStorage } from "@nacre/contracts";

/** The id of a terminal of a test. */
export const terminalId = (uid: string): TerminalId => TerminalId.parse(`terminal:${uid}`);

/** The row of a terminal of a test. */
export function terminalRow(uid: string, fields: Partial<TerminalStorage> = {}): TerminalStorage {
  return {
    id: terminalId(uid),
    owner: { entityName: "Task", entityId: "7" },
    workingDirectory: "/tmp",
    createdAt: "2026-01-31T09:30:00.000Z",
    ...fields,
  };
}
