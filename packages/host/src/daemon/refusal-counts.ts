import type { AuditPage, ListAuditInput, NewAuditRecord } from "@nacre/contracts";
import type { AuditLog } from "../auth/audit.ts";

/** An audit that also counts who was refused, and for what. */
export class RefusalCountingAudit implements AuditLog {
  readonly #audit: AuditLog;
  readonly #counts = new Map<string, number>();

  constructor(audit: AuditLog) {
    this.#audit = audit;
  }

  /** How many were refused since the start, by the code they were answered with. */
  get counts(): ReadonlyMap<string, number> {
    return this.#counts;
  }

  append(record: NewAuditRecord): Promise<void> {
    if (record.action === "refuse") {
      const { unwritten } = record.facts ?? {};
      const more = typeof unwritten === "number" ? unwritten : 0;
      this.#counts.set(record.outcome, (this.#counts.get(record.outcome) ?? 0) + 1 + more);
    }
    return this.#audit.append(record);
  }

  list(page: ListAuditInput): Promise<AuditPage> {
    return this.#audit.list(page);
  }
}
