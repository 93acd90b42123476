import type { AuditRecord, NewAuditRecord } from "@nacre/contracts";
import type { AuditKind, AuditQuery, AuditRemoval } from "./store.ts";

/** The audit of a store in memory. */
export class MemoryAudit {
  /** In order of sequence. */
  #records: AuditRecord[] = [];
  #lastSequence = 0;

  insert(record: NewAuditRecord): number {
    this.#records.push(structuredClone({ sequence: ++this.#lastSequence, ...record }));
    return this.#lastSequence;
  }

  delete({ kind, throughSequence, limit }: AuditRemoval): number {
    const before = this.#records.length;
    let left = limit;
    this.#records = this.#records.filter((record) => {
      const goes = left > 0 && record.sequence <= throughSequence && isOfKind(record, kind);
      if (goes) left -= 1;
      return !goes;
    });
    return before - this.#records.length;
  }

  read({ after, limit }: AuditQuery): AuditRecord[] {
    const start = this.#indexAfter(after);
    return structuredClone(this.#records.slice(start, start + limit));
  }

  findBehind(kind: AuditKind, newerCount: number): number | undefined {
    let left = newerCount;
    const found = this.#records.findLast((record) => isOfKind(record, kind) && left-- === 0);
    return found?.sequence;
  }

  /** Takes everything back that is done from now on. */
  undo(): () => void {
    const [records, { length }, last] = [this.#records, this.#records, this.#lastSequence];
    return () => {
      records.length = length;
      this.#records = records;
      this.#lastSequence = last;
    };
  }

  /** Where records begin that are newer than a sequence; found by halves, since some in between may be gone. */
  #indexAfter(sequence: number): number {
    let [low, high] = [0, this.#records.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#records[middle]?.sequence ?? 0) > sequence) high = middle;
      else low = middle + 1;
    }
    return low;
  }
}

const isOfKind = ({ caller }: AuditRecord, kind: AuditKind): boolean =>
  (caller === undefined) === (kind === "strangers");
