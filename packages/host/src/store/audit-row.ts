import { AuditRecord, type NewAuditRecord } from "@nacre/contracts";

/** The columns of a record in their order, without its sequence. */
type AuditColumns = [
  occurredAt: string,
  caller: string | null,
  scope: string | null,
  via: string,
  peer: string | null,
  action: string,
  terminalId: string | null,
  outcome: string,
  facts: string | null,
];

/** Spells a record as columns. */
export function encodeAuditRecord(record: NewAuditRecord): AuditColumns {
  return [
    record.occurredAt,
    record.caller ?? null,
    record.scope ?? null,
    record.via,
    record.peer ?? null,
    record.action,
    record.terminalId ?? null,
    record.outcome,
    record.facts === undefined ? null : JSON.stringify(record.facts),
  ];
}

/** Reads a record back from its columns; nothing when it was damaged, so that it does not hide the others. */
export function decodeAuditRecord(
  columns: Readonly<Record<string, unknown>>,
): AuditRecord | undefined {
  const present = Object.entries({
    sequence: columns["sequence"],
    occurredAt: columns["occurred_at"],
    caller: columns["caller"],
    scope: columns["scope"],
    via: columns["via"],
    peer: columns["peer"],
    action: columns["action"],
    terminalId: columns["terminal_id"],
    outcome: columns["outcome"],
    facts: parseFacts(columns["facts"]),
  }).filter(([, value]) => value !== null);
  return AuditRecord.safeParse(Object.fromEntries(present)).data;
}

/** What is no JSON stays what it is, and is refused with the rest. */
function parseFacts(value: unknown): unknown {
  try {
    return typeof value === "string" ? JSON.parse(value) : value;
  } catch {
    return value;
  }
}
