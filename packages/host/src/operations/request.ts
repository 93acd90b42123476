import { NacreError, TerminalId } from "@nacre/contracts";
import type { AuditFacts } from "./audit-facts.ts";
import type { AuditedAction } from "./audit-trail.ts";

/** One request on its way, as the audit will tell of it. */
export class AuditedRequest {
  readonly #action: string;
  terminalId: TerminalId | undefined;
  #facts: AuditFacts = {};
  /** Whether the caller may do this. */
  isAdmitted = false;

  constructor(action: string, input: unknown) {
    this.#action = action;
    this.terminalId = findTerminalId(input);
  }

  /** Whether an error says that the caller may not do this, rather than how it went. */
  isRefused(error: unknown): boolean {
    if (this.isAdmitted || !(error instanceof NacreError)) return false;
    return error.code === "forbidden" || error.code === "terminal_not_found";
  }

  /** Says more of it. */
  note(facts: AuditFacts): void {
    this.#facts = { ...this.#facts, ...facts };
  }

  toAction(error?: unknown): AuditedAction {
    const isRefusal = !this.isAdmitted && error !== undefined;
    const action = this.#action;
    return { action, terminalId: this.terminalId, facts: this.#facts, error, isRefusal };
  }
}

/** The terminal that an input or an answer names, if it does. */
export function findTerminalId(value: unknown): TerminalId | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const named: unknown[] = [Reflect.get(value, "id"), Reflect.get(value, "terminalId")];
  return named.map((id) => TerminalId.safeParse(id).data).find(Boolean);
}
