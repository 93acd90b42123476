// What must be in the audit of a store after its victim was killed.
import { isDeepStrictEqual } from "node:util";
import { type AuditRecord, CallerId, type NewAuditRecord } from "@nacre/contracts";
import type { Said } from "./said.ts";

/** No victim writes more. */
export const MAX_AUDIT_RECORDS = 100_000;

/** The record of a sequence, always the same. */
export const auditRecordOf = (sequence: number): NewAuditRecord => ({
  occurredAt: new Date(sequence * 1000).toISOString(),
  ...(sequence % 3 === 0 ? {} : { caller: CallerId.parse(`caller-${sequence % 7}`) }),
  via: "http",
  action: "sendInput",
  outcome: "ok",
  facts: { bytes: sequence },
});

/** Says what is wrong with records, whatever was acknowledged. */
export function problemOfAudit(records: readonly AuditRecord[]): string | undefined {
  const index = records.findIndex((record, place) => {
    const sequence = place + 1;
    return !isDeepStrictEqual({ ...record }, { sequence, ...auditRecordOf(sequence) });
  });
  return index < 0 ? undefined : `record ${index + 1} of the audit is missing or another`;
}

/** Follows what victims say about the audit, and tells whether what is seen of it fits. */
export class KnownAudit {
  #through = 0;
  #offered = 0;

  /** Whether it may have no records. */
  get isEmpty(): boolean {
    return this.#through === 0;
  }

  /** Takes note of what a victim said. */
  hear({ say, sequence }: Extract<Said, { say: "offerAudit" | "audited" }>): void {
    this.#offered = Math.max(this.#offered, sequence);
    if (say === "audited") this.#through = Math.max(this.#through, sequence);
  }

  /** Says what does not fit; what was offered last is there as a whole or not at all. */
  compare(count: number): string | undefined {
    if (count < this.#through) return `records after ${count} are lost, up to ${this.#through}`;
    if (count !== this.#through && count !== this.#offered) {
      return `the audit has ${count} records, not ${this.#through} or ${this.#offered}`;
    }
    this.#through = count;
    this.#offered = count;
    return undefined;
  }
}
