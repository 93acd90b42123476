import { CallerId, type NewAuditRecord, type TerminalId } from "@nacre/contracts";

/** A record of somebody known, told apart by its number. */
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

/** A record of somebody who was not let in. */
export const strangerRecord = (number: number): NewAuditRecord => ({
  occurredAt: new Date(number).toISOString(),
  via: "raw",
  peer: "127.0.0.1:9",
  action: "refuse",
  outcome: "unauthenticated",
});

/** A record about a terminal. */
export const recordAbout = (terminalId: TerminalId): NewAuditRecord =>
  auditRecord(1, { terminalId });
