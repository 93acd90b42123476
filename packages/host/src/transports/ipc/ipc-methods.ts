import { NacreError, parse } from "@nacre/contracts";
import type { CallContext } from "../../operations/call-context.ts";
import type { Operations } from "../../operations/dispatch.ts";
import { type CallKind, resolveEntityCall } from "./entity-call.ts";
import type { EventPump } from "./event-pump.ts";
import { ChannelParams, EntityParams, NoParams, EventSubscribeParams } from "./request.ts";

/** The version of this wire; it grows when a client of the version before could not go on. */
const IPC_VERSION = 1;

/** Everything on this wire that can be asked for. */
const METHODS = [
  "ping",
  "system.status",
  "entity.query",
  "entity.command",
  "event.subscribe",
  "event.unsubscribe",
] as const;

type Method = (typeof METHODS)[number];

/** What the methods of one connection work with. */
export interface IpcMethodsDeps {
  readonly operations: Operations;
  readonly pump: EventPump;
}

/** What can be asked for over one connection. */
export class IpcMethods {
  readonly #operations: Operations;
  readonly #pump: EventPump;

  constructor({ operations, pump }: IpcMethodsDeps) {
    this.#operations = operations;
    this.#pump = pump;
  }

  /** Does what is asked for, and resolves with the result. */
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

  /** Adds to what is heard; who names no channels hears all of them. */
  async #subscribe(params: unknown): Promise<unknown> {
    const { channels = ["*"], after, types } = parse(EventSubscribeParams, params, "params") ?? {};
    const heard = this.#pump.channels;
    if (after !== undefined && heard.length > 0) {
      throw new NacreError("invalid_argument", "events are heard already, so nothing is resumed", {
        field: "params.after",
        suggestion: "Resume with the first subscription of a connection.",
      });
    }
    if (types !== undefined) this.#pump.types = types;
    await this.#pump.setChannels([...new Set([...heard, ...channels])], after);
    return { channels: this.#pump.channels };
  }

  /** Takes away from what is heard; who names no channels hears nothing more. */
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
