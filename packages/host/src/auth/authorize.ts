import { type Caller, NacreError, type Scope, type TerminalOwnerReference } from "@nacre/contracts";

/** Refuses with `forbidden` what is not for the caller's scope; `what` names it in the message. */
export function requireScope(scopes: readonly Scope[], caller: Caller, what: string): void {
  if (scopes.includes(caller.scope)) return;
  throw new NacreError(
    "forbidden",
    `${what} is not for the scope ${caller.scope}, only for ${scopes.join(", ")}`,
  );
}

/**
 * Whether a terminal of this owner, live or ended, exists for the caller: an agent has those of its own owner, and none
 * without one; everybody else sees all.
 */
export function canSeeOwner(caller: Caller, owner: TerminalOwnerReference): boolean {
  if (caller.scope !== "agent") return true;
  return (
    caller.owner !== undefined &&
    caller.owner.entityName === owner.entityName &&
    caller.owner.entityId === owner.entityId
  );
}
