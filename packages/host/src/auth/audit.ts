import type { AuditPage, ListAuditInput, NewAuditRecord } from "@nacre/contracts";
import { type Clock, SYSTEM_CLOCK } from "../base/clock.ts";

/** As durable as a recording. */
export interface AuditLog {
  append(record: NewAuditRecord): Promise<void>;
  list(page: ListAuditInput): Promise<AuditPage>;
}

/** Refused clients can retry without end; more records per second say nothing new. */
export const MAX_RECORDS_PER_SECOND = 20;

const SECOND_MS = 1000;

/** The time is added. */
export type ConnectionAuditRecord = Omit<NewAuditRecord, "occurredAt">;

export interface ConnectionAuditOptions {
  readonly audit: Pick<AuditLog, "append">;
  readonly clock?: Clock;
  readonly report: (error: unknown) => void;
}

/** Audits connections and refusals, rate-limited; omitted records are counted in the next of their kind. */
export class ConnectionAudit {
  readonly #audit: Pick<AuditLog, "append">;
  readonly #clock: Clock;
  readonly #report: (error: unknown) => void;
  /** By action and caller: neither a flood of refusals nor another caller hides who connected. */
  readonly #budgets = new Map<string, { since: number; written: number; unwritten: number }>();

  constructor({ audit, clock = SYSTEM_CLOCK, report }: ConnectionAuditOptions) {
    this.#audit = audit;
    this.#clock = clock;
    this.#report = report;
  }

  write(record: ConnectionAuditRecord): void {
    const now = this.#clock.now();
    const budget = this.#budgetOf(`${record.action} ${record.caller ?? ""}`, now);
    if (budget.written >= MAX_RECORDS_PER_SECOND) {
      budget.unwritten += 1;
      return;
    }
    budget.written += 1;
    const { unwritten } = budget;
    budget.unwritten = 0;
    const facts = unwritten === 0 ? record.facts : { ...record.facts, unwritten };
    const occurredAt = new Date(now).toISOString();
    this.#audit
      .append({ ...record, occurredAt, ...(facts === undefined ? {} : { facts }) })
      .catch(this.#report);
  }

  #budgetOf(key: string, now: number) {
    const budget = this.#budgets.get(key) ?? { since: now, written: 0, unwritten: 0 };
    this.#budgets.set(key, budget);
    // A clock that was set back also begins a new second.
    if (now - budget.since >= SECOND_MS || now < budget.since) {
      budget.since = now;
      budget.written = 0;
    }
    return budget;
  }
}
