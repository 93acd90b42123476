import { type CallerId, NacreError, type NewAuditRecord, TerminalId } from "@nacre/contracts";
import { settleWithin } from "../base/settle-within.ts";
import type { AuditLog } from "../auth/audit.ts";
import type { AuditFacts } from "./audit-facts.ts";
import type { CallContext } from "./call-context.ts";

export class AuditedRequest {
  readonly #action: string;
  terminalId: TerminalId | undefined;
  #facts: AuditFacts = {};
  isAdmitted = false;

  constructor(action: string, input: unknown) {
    this.#action = action;
    this.terminalId = findTerminalId(input);
  }

  /** Refused, as opposed to failed. */
  isRefused(error: unknown): boolean {
    if (this.isAdmitted || !(error instanceof NacreError)) return false;
    return error.code === "forbidden" || error.code === "terminal_not_found";
  }

  note(facts: AuditFacts): void {
    this.#facts = { ...this.#facts, ...facts };
  }

  toAction(error?: unknown): AuditedAction {
    const isRefusal = !this.isAdmitted && error !== undefined;
    const action = this.#action;
    return { action, terminalId: this.terminalId, facts: this.#facts, error, isRefusal };
  }
}

export function findTerminalId(value: unknown): TerminalId | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const named: unknown[] = [Reflect.get(value, "id"), Reflect.get(value, "terminalId")];
  return named.map((id) => TerminalId.safeParse(id).data).find(Boolean);
}

/** More than an honest mistake makes. */
export const REFUSAL_BURST = 200;

/** After the burst: the audit is bounded, and endless refusals must not push out what was done. */
export const REFUSALS_PER_SECOND = 10;

/** More callers than a host has credentials; the least recently refused is forgotten. */
const MAX_BUCKETS = 1024;

const SECOND_MS = 1000;

interface TokenBucket {
  /** Refusals that are still recorded. */
  credit: number;
  /** Ms. */
  at: number;
  /** Omitted since the last recorded one. */
  unwritten: number;
}

/** Token bucket per caller; omitted refusals are counted in the next recorded one. */
export class RefusalRateLimit {
  readonly #buckets = new Map<CallerId, TokenBucket>();
  readonly #now: () => number;

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** How many were omitted before this one; undefined when this one is omitted, too. */
  take(caller: CallerId): number | undefined {
    const account = this.#refill(caller);
    if (account.credit < 1) {
      account.unwritten += 1;
      return undefined;
    }
    const { unwritten } = account;
    account.credit -= 1;
    account.unwritten = 0;
    return unwritten;
  }

  #refill(caller: CallerId): TokenBucket {
    const now = this.#now();
    const known = this.#buckets.get(caller);
    const account = known ?? { credit: REFUSAL_BURST, at: now, unwritten: 0 };
    const earned = ((now - account.at) / SECOND_MS) * REFUSALS_PER_SECOND;
    account.credit = Math.min(REFUSAL_BURST, account.credit + earned);
    account.at = now;
    // Moves it to the end.
    this.#buckets.delete(caller);
    this.#buckets.set(caller, account);
    const [oldest] = this.#buckets.keys();
    if (oldest !== undefined && this.#buckets.size > MAX_BUCKETS) this.#buckets.delete(oldest);
    return account;
  }
}

export interface AuditedAction {
  readonly action: string;
  readonly terminalId?: TerminalId | undefined;
  readonly facts?: AuditFacts | undefined;
  /** Absent when it succeeded. */
  readonly error?: unknown;
  /** Nothing was even started. */
  readonly isRefusal?: boolean | undefined;
}

/** Callers wait this long for the record: then the disk is in trouble, and what was done is done. */
const MAX_AUDIT_WAIT_MS = 1000;

/** May contain text from the caller. */
const MAX_FIELD_LENGTH = 128;

/** Records who did what, and a bounded number of refusals; a lost record is reported. */
export class AuditTrail {
  readonly #audit: AuditLog;
  readonly #handleProblem: (error: unknown) => void;
  readonly #maxKeepingMs: number;
  readonly #refusals = new RefusalRateLimit();

  constructor(
    audit: AuditLog,
    handleProblem: (error: unknown) => void,
    maxKeepingMs = MAX_AUDIT_WAIT_MS,
  ) {
    this.#audit = audit;
    this.#handleProblem = handleProblem;
    this.#maxKeepingMs = maxKeepingMs;
  }

  /** Resolves when the record is kept, or after `MAX_AUDIT_WAIT_MS`. */
  async note(deed: AuditedAction, context: CallContext): Promise<void> {
    const unwritten = deed.isRefusal ? this.#refusals.take(context.caller.id) : 0;
    if (unwritten === undefined) return;
    const facts = unwritten === 0 ? deed.facts : { ...deed.facts, unwritten };
    await settleWithin(this.#keep(makeRecord({ ...deed, facts }, context)), this.#maxKeepingMs);
  }

  async #keep(record: NewAuditRecord): Promise<void> {
    try {
      await this.#audit.append(record);
    } catch (error) {
      this.#handleProblem(describeLoss(record, error));
    }
  }
}

/** For the log, when the audit does not have it. */
function describeLoss(record: NewAuditRecord, cause: unknown): NacreError {
  const { action, caller, terminalId, outcome } = record;
  const what = `${action} by ${caller}${terminalId === undefined ? "" : ` on ${terminalId}`} (${outcome})`;
  const { code, message } =
    cause instanceof NacreError ? cause : { code: "internal" as const, message: String(cause) };
  return new NacreError(code, `the audit has no record of ${what}: ${message}`, { cause });
}

function makeRecord(
  { action, terminalId, facts = {}, error }: AuditedAction,
  context: CallContext,
) {
  const { caller, via, peer } = context;
  const field = error instanceof NacreError ? error.field : undefined;
  const cut = field?.slice(0, MAX_FIELD_LENGTH).toWellFormed();
  const said = { ...facts, ...(cut === undefined ? {} : { field: cut }) };
  return {
    occurredAt: new Date().toISOString(),
    caller: caller.id,
    scope: caller.scope,
    via,
    ...(peer === undefined ? {} : { peer }),
    action,
    ...(terminalId === undefined ? {} : { terminalId }),
    outcome: outcomeOf(error),
    ...(Object.keys(said).length === 0 ? {} : { facts: said }),
  } satisfies NewAuditRecord;
}

const outcomeOf = (error: unknown): string => {
  if (error === undefined) return "ok";
  return error instanceof NacreError ? error.code : "internal";
};
