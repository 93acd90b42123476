import { type Caller, NacreError, type Scope } from "@nacre/contracts";
import { z } from "zod";
import { parseJsonText } from "../../base/parse-json-text.ts";
import { readPlainFile } from "./control-file.ts";
import { ControlOperation } from "./control-file-request.ts";
import type { DirectoryHandle } from "./directory-handle.ts";

export const PERMISSIONS_FILE = "PERMISSIONS.json";

const Rule = z.enum(["allow", "deny"]);

const Permissions = z.strictObject({
  default: z.enum(["allow-by-default", "deny-by-default"]),
  allow_roles: z.array(z.string()),
  scope: z.literal("agent"),
  operations: z.partialRecord(ControlOperation, Rule).optional(),
});
type Permissions = z.infer<typeof Permissions>;

/** Names of the scopes in the file. */
const ROLES: Readonly<Record<Scope, string>> = {
  operator: "admin",
  agent: "agent",
  readOnly: "reader",
};

export const DEFAULT_PERMISSIONS: Permissions = {
  default: "allow-by-default",
  allow_roles: ["admin", "user", "agent"],
  scope: "agent",
};

/** Refuses what the file does not allow, and everything when it is unreadable. */
export async function requirePermission(
  directory: DirectoryHandle,
  operation: ControlOperation,
  caller: Caller,
): Promise<void> {
  const permissions = await readPermissions(directory);
  if (!permissions) {
    throw refused(`${PERMISSIONS_FILE} is missing or cannot be understood, so nothing is allowed`);
  }
  const { default: rule, allow_roles: roles, operations = {} } = permissions;
  const role = ROLES[caller.scope];
  if (!roles.includes(role)) throw refused(`${PERMISSIONS_FILE} does not allow the role ${role}`);
  const otherwise = rule === "allow-by-default" ? "allow" : "deny";
  if ((operations[operation] ?? otherwise) !== "allow") {
    throw refused(`${PERMISSIONS_FILE} does not allow ${operation}`);
  }
}

async function readPermissions(directory: DirectoryHandle): Promise<Permissions | undefined> {
  try {
    const bytes = await readPlainFile(directory.pathOf(PERMISSIONS_FILE));
    return bytes && Permissions.safeParse(parseJsonText(bytes)).data;
  } catch {
    // An unreadable file allows nothing.
    return undefined;
  }
}

const refused = (message: string): NacreError =>
  new NacreError("forbidden", message, {
    suggestion: `Correct ${PERMISSIONS_FILE}, or ask whoever runs the service to.`,
  });
