import {
  type EntityContract,
  type EntityMethod,
  NacreError,
  type OperationName,
  parse,
  TerminalContract,
  TerminalRecordingEntryContract,
} from "@nacre/contracts";
import type { CallContext } from "../../operations/call-context.ts";
import type { Operations } from "../../operations/operations.ts";
import { ChannelParams, EntityParams, EventSubscribeParams, NoParams } from "./ipc-message.ts";
import type { EventPump } from "./event-pump.ts";

type CallKind = EntityMethod["kind"];

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
function resolveEntityCall(
  kind: CallKind,
  params: EntityParams,
): { readonly operation: OperationName; readonly input: unknown } {
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

/** Entity methods have the id beside the payload; class methods have none. */
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

/** Increases when clients of the previous version could not continue. */
const IPC_VERSION = 1;

const METHODS = [
  "ping",
  "system.status",
  "entity.query",
  "entity.command",
  "event.subscribe",
  "event.unsubscribe",
] as const;

type Method = (typeof METHODS)[number];

/** What can be asked for over one connection. */
export class IpcMethods {
  readonly #operations: Operations;
  readonly #pump: EventPump;

  constructor(operations: Operations, pump: EventPump) {
    this.#operations = operations;
    this.#pump = pump;
  }

  async call(name: string, params: unknown, context: CallContext): Promise<unknown> {
    const method = parseMethod(name);
    switch (method) {
      case "ping":
        parse(NoParams, params, "params");
        return { ok: true, protocolVersion: IPC_VERSION };
      case "system.status":
        parse(NoParams, params, "params");
        return await this.#operations.call("readHost", {}, context);
      case "entity.query":
        return await this.#entity("query", params, context);
      case "entity.command":
        return await this.#entity("mutation", params, context);
      case "event.subscribe":
        return await this.#subscribe(params);
      case "event.unsubscribe":
        return await this.#unsubscribe(params);
    }
  }

  async #entity(kind: CallKind, params: unknown, context: CallContext): Promise<unknown> {
    const { operation, input } = resolveEntityCall(kind, parse(EntityParams, params, "params"));
    return await this.#operations.call(operation, input, context);
  }

  /** No channels means all. */
  async #subscribe(params: unknown): Promise<unknown> {
    const { channels = ["*"], after, types } = parse(EventSubscribeParams, params, "params") ?? {};
    const heard = this.#pump.channels;
    if (after !== undefined && heard.length > 0) {
      throw new NacreError(
        "invalid_argument",
        "this connection is subscribed already, so it cannot resume",
        {
          field: "params.after",
          suggestion: "Resume with the first subscription of a connection.",
        },
      );
    }
    if (types !== undefined) this.#pump.types = types;
    await this.#pump.setChannels([...new Set([...heard, ...channels])], after);
    return { channels: this.#pump.channels };
  }

  /** No channels means none any more. */
  async #unsubscribe(params: unknown): Promise<unknown> {
    const { channels } = parse(ChannelParams, params, "params") ?? {};
    const isKept = (one: string): boolean => channels !== undefined && !channels.includes(one);
    await this.#pump.setChannels(this.#pump.channels.filter(isKept));
    return { channels: this.#pump.channels };
  }
}

function parseMethod(name: string): Method {
  const found = METHODS.find((method) => method === name);
  if (found) return found;
  throw new NacreError("unsupported", "there is no method of this name", {
    field: "method",
    suggestion: `There are ${METHODS.join(", ")}.`,
  });
}
