import { CallerId, type NewAuditRecord, type TerminalId } from "@nacre/contracts";

export const auditRecord = (
  number: number,
  fields: Partial<NewAuditRecord> = {},
): NewAuditRecord => ({
  occurredAt: new Date(number).toISOString(),
  caller: CallerId.parse("ada"),
  scope: "operator",
  via: "http",
  action: "sendInput",
  outcome: "ok",
  facts: { number },
  ...fields,
});

export const strangerRecord = (number: number): NewAuditRecord => ({
  occurredAt: new Date(number).toISOString(),
  via: "raw",
  peer: "127.0.0.1:9",
  action: "refuse",
  outcome: "unauthenticated",
});

export const recordAbout = (terminalId: TerminalId): NewAuditRecord =>
  auditRecord(1, { terminalId });
