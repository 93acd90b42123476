import { type AuditPage, type ListAuditInput, NewAuditRecord, parse } from "@nacre/contracts";
import type { AuditKind } from "../store/store.ts";
import type { ReaderMethods } from "./recording-reader.ts";
import type { RecorderClient } from "./recorder-client.ts";
import type { RestartingWorker } from "../base/port-rpc.ts";

/** Newest records kept. Those of strangers are counted apart: repeated refusals must not push out who did what. */
export interface AuditLimits extends Readonly<Record<AuditKind, number>> {}

/** Months of busy work; some 200 MB at most. */
export const FILE_AUDIT_LIMITS: AuditLimits = { callers: 1_000_000, strangers: 100_000 };

/** A day of busy work; a few MB. */
export const MEMORY_AUDIT_LIMITS: AuditLimits = { callers: 10_000, strangers: 1000 };

/** Limits are checked after every tenth of the smaller one: rarely, and no more than that is in excess. */
const CHECKS_PER_LIMIT = 10;

/** Removes in batches, so that appends get their turn in between. */
const REMOVAL_STEP = 128;

export interface AuditRecordsDeps {
  readonly recorder: RecorderClient;
  readonly reader: RestartingWorker<ReaderMethods>;
  readonly limits: AuditLimits;
}

/** The audit: written by the recorder like a strict entry, and bounded. */
export class AuditRecords {
  readonly #deps: AuditRecordsDeps;
  /** Appends until the next check; 0: not checked yet. */
  #untilCheck = 0;
  #isTrimming = false;

  constructor(deps: AuditRecordsDeps) {
    this.#deps = deps;
  }

  /** Resolves once committed; waits while nothing can be written. */
  async append(record: NewAuditRecord): Promise<void> {
    const checked = parse(NewAuditRecord, record);
    await this.#deps.recorder.write({ kind: "audit", record: checked });
    this.#untilCheck -= 1;
    if (this.#untilCheck <= 0) this.#checkLimits();
  }

  list(page: ListAuditInput): Promise<AuditPage> {
    return this.#deps.reader.current.call("listAudit", page);
  }

  #checkLimits(): void {
    const { limits } = this.#deps;
    this.#untilCheck = Math.ceil(Math.min(limits.callers, limits.strangers) / CHECKS_PER_LIMIT);
    if (this.#isTrimming) return;
    this.#isTrimming = true;
    this.#trim()
      // The next check finds it again.
      .catch(() => undefined)
      .finally(() => (this.#isTrimming = false));
  }

  async #trim(): Promise<void> {
    for (const kind of ["strangers", "callers"] as const) {
      const { recorder, reader, limits } = this.#deps;
      const throughSequence = await reader.current.call("findAuditBehind", kind, limits[kind]);
      if (throughSequence === undefined) continue;
      const removal = { kind, throughSequence, limit: REMOVAL_STEP };
      for (let count = REMOVAL_STEP; count === REMOVAL_STEP;) {
        ({ count } = await recorder.write({ kind: "trimAudit", removal }));
      }
    }
  }
}
