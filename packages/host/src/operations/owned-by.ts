import type { OwnerFilter, TerminalOwnerReference } from "@nacre/contracts";

/** Whether an owner is one of those that a filter means; without a filter all are. */
export function matchesOwnerFilter(
  owner: TerminalOwnerReference,
  filter: OwnerFilter | undefined,
): boolean {
  if (filter === undefined) return true;
  return (
    owner.entityName === filter.entityName &&
    (filter.entityId === undefined || owner.entityId === filter.entityId)
  );
}
