import {
  type Caller,
  type InheritEnv,
  NacreError,
  type OwnerFilter,
  TerminalId,
  type TerminalOwnerReference,
} from "@nacre/contracts";
import { canSeeOwner } from "../auth/auth-context.ts";
import { type Registry, terminalNotFound } from "../registry/registry.ts";

/** Which terminals exist for a caller: an agent has those of its own owner, everybody else has all. */
export class Access {
  readonly #registry: Registry;

  constructor(registry: Registry) {
    this.#registry = registry;
  }

  /** Live or ended. */
  async canSee(id: TerminalId, caller: Caller): Promise<boolean> {
    if (caller.scope !== "agent") return true;
    const row = await this.#registry.findRow(id);
    return row !== undefined && canSeeOwner(caller, row.owner);
  }

  /** Refuses other owners' terminals, and raw output, which is not an agent's to see. */
  async requireAll(input: object, caller: Caller): Promise<void> {
    if (Reflect.get(input, "view") === "raw" && caller.scope !== "operator") {
      throw new NacreError("forbidden", `view: raw output is not for the scope ${caller.scope}`, {
        field: "view",
        suggestion: "Leave the view out, or use a credential of an operator.",
      });
    }
    for (const [field, id] of findNamedTerminals(input)) await this.require(id, field, caller);
  }

  /** For an agent, another's terminal gives the same error as one that never existed. */
  async require(id: TerminalId, field: string, caller: Caller): Promise<void> {
    if (!(await this.canSee(id, caller))) throw terminalNotFound(id, field);
  }
}

/** With the field that names each. */
function findNamedTerminals(input: object): readonly (readonly [string, TerminalId])[] {
  const many: unknown = Reflect.get(input, "terminalIds");
  const listed = Array.isArray(many)
    ? many.map((id: unknown, at) => [`terminalIds.${at}`, id])
    : [];
  const single = ["id", "terminalId"].map((field) => [field, Reflect.get(input, field)]);
  return [...single, ...listed].flatMap(([field, value]) => {
    const id = TerminalId.safeParse(value);
    return id.success ? [[String(field), id.data] as const] : [];
  });
}

/** An agent's own, whether it says so or not. */
export function resolveOwnerFilter(
  caller: Caller,
  asked: OwnerFilter | undefined,
): OwnerFilter | undefined {
  if (caller.scope !== "agent") return asked;
  const own = requireOwner(caller);
  const isElsewhere =
    asked !== undefined &&
    (asked.entityName !== own.entityName || (asked.entityId ?? own.entityId) !== own.entityId);
  if (isElsewhere) throw forbiddenOwner(caller, "owner");
  return { entityName: own.entityName, entityId: own.entityId };
}

function requireOwner(caller: Caller): NonNullable<Caller["owner"]> {
  if (caller.owner) return caller.owner;
  throw new NacreError("forbidden", `agent ${caller.id} acts for no owner`, {
    suggestion: "Use a token that has an owner.",
  });
}

const forbiddenOwner = (caller: Caller, field: string): NacreError =>
  new NacreError("forbidden", `agent ${caller.id} may only act for its own owner`, {
    field,
    suggestion: "Leave the owner out.",
  });

interface RequestedPlace {
  readonly owner?: TerminalOwnerReference | undefined;
  readonly workingDirectory?: string | undefined;
  readonly inheritEnv?: InheritEnv | undefined;
}

interface LaunchPlace {
  readonly owner: TerminalOwnerReference;
  readonly workingDirectory: string;
}

/** Defaults follow from the caller; an agent may only ask for what is its own. */
export async function resolveLaunchPlace(
  caller: Caller,
  asked: RequestedPlace,
  registry: Registry,
): Promise<LaunchPlace> {
  if (caller.scope === "agent" && asked.inheritEnv === "all") {
    throw new NacreError("forbidden", "inheritEnv: `all` is not allowed for agents", {
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

/** Without a filter all match. */
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
