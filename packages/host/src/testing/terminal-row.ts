import { TerminalId, type TerminalStorage } from "@nacre/contracts";

export const terminalId = (uid: string): TerminalId => TerminalId.parse(`terminal:${uid}`);

export function terminalRow(uid: string, fields: Partial<TerminalStorage> = {}): TerminalStorage {
  return {
    id: terminalId(uid),
    owner: { entityName: "Task", entityId: "7" },
    workingDirectory: "/tmp",
    createdAt: "2026-01-31T09:30:00.000Z",
    ...fields,
  };
}
