import { NacreError } from "@nacre/contracts/error";

/** How an owner is written. */
export const OWNER_VALUE = "KIND[:ID]";

/** Reads an owner such as `Task` or `Task:42`. */
export function parseOwner(text: string): { entityName: string; entityId?: string } {
  const at = text.indexOf(":");
  if (at === -1) return { entityName: text };
  return { entityName: text.slice(0, at), entityId: text.slice(at + 1) };
}

/** Reads an owner such as `Task:42`, where one is meant. */
export function parseWholeOwner(text: string): { entityName: string; entityId: string } {
  const { entityName, entityId } = parseOwner(text);
  if (entityId !== undefined) return { entityName, entityId };
  throw new NacreError("invalid_argument", `--owner: ${text} is no owner; write Task:42`, {
    field: "owner",
  });
}
