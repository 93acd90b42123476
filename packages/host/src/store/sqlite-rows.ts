import {
  AuditRecord,
  NacreError,
  type NewAuditRecord,
  type TerminalStorage,
  TerminalStorageSchema,
} from "@nacre/contracts";

const encodeJson = (value: unknown): string | null =>
  value === undefined ? null : JSON.stringify(value);

/** Spells a terminal as columns; the same terminal always gives the same columns, so that they can be hashed. */
export function encodeTerminal(row: TerminalStorage): (string | null)[] {
  const { entityName, entityId, attributes } = row.owner;
  return [
    row.id,
    entityName,
    entityId,
    encodeJson(attributes),
    row.workingDirectory,
    row.name ?? null,
    row.command ?? null,
    encodeJson(row.args),
    row.createdAt,
  ];
}

/** Text that does not parse is passed on and refused with the rest. */
function parseJsonColumn(value: unknown): unknown {
  try {
    return typeof value === "string" ? JSON.parse(value) : value;
  } catch {
    return value;
  }
}

/** Throws when the row is damaged. */
export function decodeTerminal(columns: Readonly<Record<string, unknown>>): TerminalStorage {
  const present = Object.entries({
    id: columns["id"],
    owner: {
      entityName: columns["owner_name"],
      entityId: columns["owner_id"],
      ...(columns["owner_attributes"] === null
        ? {}
        : { attributes: parseJsonColumn(columns["owner_attributes"]) }),
    },
    workingDirectory: columns["working_directory"],
    name: columns["name"],
    command: columns["command"],
    args: parseJsonColumn(columns["args"]),
    createdAt: columns["created_at"],
  }).filter(([, value]) => value !== null);
  const parsed = TerminalStorageSchema.safeParse(Object.fromEntries(present));
  if (parsed.success) return parsed.data;
  const terminalId = String(columns["id"]);
  throw new NacreError("recording_damaged", `the row of ${terminalId} is damaged`, {
    cause: parsed.error,
    suggestion: "Verify the recording; its entries can be read and exported.",
    details: { terminalId },
  });
}

/** Spells a record as columns, without its sequence. */
export function encodeAuditRecord(record: NewAuditRecord): (string | null)[] {
  return [
    record.occurredAt,
    record.caller ?? null,
    record.scope ?? null,
    record.via,
    record.peer ?? null,
    record.action,
    record.terminalId ?? null,
    record.outcome,
    encodeJson(record.facts),
  ];
}

/** Undefined for a damaged record, so that it does not hide the others. */
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
    facts: parseJsonColumn(columns["facts"]),
  }).filter(([, value]) => value !== null);
  return AuditRecord.safeParse(Object.fromEntries(present)).data;
}
