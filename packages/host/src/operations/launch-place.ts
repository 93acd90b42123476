import {
  type Caller,
  type InheritEnv,
  NacreError,
  type TerminalOwnerReference,
} from "@nacre/contracts";
import type { Registry } from "../registry/registry.ts";
import { forbiddenOwner, requireOwner } from "./access.ts";

/** What a caller said about whose a new terminal is, where it starts and what it inherits. */
interface RequestedPlace {
  readonly owner?: TerminalOwnerReference | undefined;
  readonly workingDirectory?: string | undefined;
  readonly inheritEnv?: InheritEnv | undefined;
}

/** Whose a new terminal is and where it starts. */
export interface LaunchPlace {
  readonly owner: TerminalOwnerReference;
  readonly workingDirectory: string;
}

/** What follows from who asks, where the request does not say; an agent may only ask for what is its own. */
export async function resolveLaunchPlace(
  caller: Caller,
  asked: RequestedPlace,
  registry: Registry,
): Promise<LaunchPlace> {
  if (caller.scope === "agent" && asked.inheritEnv === "all") {
    throw new NacreError("forbidden", "inheritEnv: an agent does not get all of the environment", {
      field: "inheritEnv",
      suggestion: "Leave it out, or set the variables that are needed with `env`.",
    });
  }
  return {
    owner: resolveOwner(caller, asked.owner),
    workingDirectory:
      asked.workingDirectory ?? caller.roots?.[0] ?? (await registry.defaultDirectory()),
  };
}

function resolveOwner(
  caller: Caller,
  asked: TerminalOwnerReference | undefined,
): TerminalOwnerReference {
  if (caller.scope !== "agent") {
    return asked ?? caller.owner ?? { entityName: "System", entityId: caller.id };
  }
  const own = requireOwner(caller);
  const isOwn =
    asked === undefined || (asked.entityName === own.entityName && asked.entityId === own.entityId);
  if (!isOwn) throw forbiddenOwner(caller, "owner");
  return asked ?? own;
}
