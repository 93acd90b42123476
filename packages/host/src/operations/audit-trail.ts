import { NacreError, type NewAuditRecord, type TerminalId } from "@nacre/contracts";
import type { AuditLog } from "../auth/audit.ts";
import type { AuditFacts } from "./audit-facts.ts";
import type { CallContext } from "./call-context.ts";
import { RefusalRateLimit } from "./refusal-budget.ts";

/** What was done, and what came of it. */
export interface AuditedAction {
  readonly action: string;
  readonly terminalId?: TerminalId | undefined;
  readonly facts?: AuditFacts | undefined;
  /** What refused it; absent when it was done. */
  readonly error?: unknown;
  /** Whether nothing was even begun. */
  readonly isRefusal?: boolean | undefined;
}

/** Whoever asked waits for the record to be kept, but no longer than this: then the disk is in trouble, and what was done is done. */
const MAX_AUDIT_WAIT_MS = 1000;

/** The name of a field is a few words; some of it may come from the caller. */
const MAX_FIELD_LENGTH = 128;

/** Writes down who did what, and a bounded number of refusals; a record that is lost is reported, for what was done is done. */
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

  /** Resolves when the record is kept; while the store cannot be written the record waits for it, and nobody else does for long. */
  async note(deed: AuditedAction, context: CallContext): Promise<void> {
    const unwritten = deed.isRefusal ? this.#refusals.take(context.caller.id) : 0;
    if (unwritten === undefined) return;
    const facts = unwritten === 0 ? deed.facts : { ...deed.facts, unwritten };
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, this.#maxKeepingMs);
    void this.#keep(makeRecord({ ...deed, facts }, context)).then(resolve);
    await promise;
    clearTimeout(timer);
  }

  async #keep(record: NewAuditRecord): Promise<void> {
    try {
      await this.#audit.append(record);
    } catch (error) {
      this.#handleProblem(describeLoss(record, error));
    }
  }
}

/** What the audit does not have: it stands in the log instead. */
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
