import {
  type EntityContract,
  type EntityMethod,
  NacreError,
  type OperationName,
  parse,
  TerminalContract,
  TerminalRecordingEntryContract,
} from "@nacre/contracts";
import type { EntityParams } from "./request.ts";

/** Whether something is only asked for, or is to be changed. */
export type CallKind = EntityMethod["kind"];

/** An operation with its input. */
export interface EntityCall {
  readonly operation: OperationName;
  readonly input: unknown;
}

/** The entities of this wire, with the operation behind each method that callers have. */
const ENTITIES: readonly {
  readonly contract: EntityContract;
  readonly operations: Readonly<Record<string, OperationName>>;
}[] = [
  {
    contract: TerminalContract,
    operations: { create: "createTerminal", read: "readTerminal", sendInput: "sendInput" },
  },
  { contract: TerminalRecordingEntryContract, operations: { find: "findRecordingEntries" } },
];

/** Finds the operation that a method of an entity stands for, and checks its input by the entity's contract. */
export function resolveEntityCall(kind: CallKind, params: EntityParams): EntityCall {
  const { contract, operations } = findEntity(params.entity);
  const operation = Object.hasOwn(operations, params.method)
    ? operations[params.method]
    : undefined;
  const method = contract.methods[params.method];
  if (operation === undefined || method === undefined) {
    throw new NacreError("unsupported", `${params.entity} has no method of this name`, {
      field: "params.method",
      suggestion: `It has ${Object.keys(operations).join(", ")}.`,
    });
  }
  if (method.kind !== kind) {
    throw new NacreError("invalid_argument", `${params.method} is a ${method.kind}`, {
      field: "params.method",
      suggestion: `Ask for it by ${method.kind === "query" ? "entity.query" : "entity.command"}.`,
    });
  }
  return { operation, input: parse(method.input, buildInput(method, params), "params.payload") };
}

function findEntity(name: string): (typeof ENTITIES)[number] {
  const found = ENTITIES.find(({ contract }) => contract.entityName === name);
  if (found) return found;
  throw new NacreError("unsupported", "there is no entity of this name", {
    field: "params.entity",
    suggestion: `There are ${ENTITIES.map(({ contract }) => contract.entityName).join(", ")}.`,
  });
}

/** A method of an entity has its id beside the payload; one that concerns no existing entity has none. */
function buildInput(
  { execution }: EntityMethod,
  { method, id, payload = {} }: EntityParams,
): unknown {
  if (execution === "class") {
    if (id === undefined) return payload;
    throw wrongId(`${method} concerns no existing entity and takes no id`);
  }
  if (id === undefined) throw wrongId(`${method} needs the id of an entity`);
  if (payload["id"] !== undefined && payload["id"] !== id) {
    throw wrongId("the payload names another entity than the id beside it");
  }
  return { ...payload, id };
}

const wrongId = (message: string): NacreError =>
  new NacreError("invalid_argument", message, { field: "params.id" });
