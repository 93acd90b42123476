import { type CallerId, ClientId } from "@nacre/contracts";
import { invalidParams } from "./json-rpc.ts";
import type { WireNames } from "./shaping.ts";

/** Between caller and the client's own name. */
const SEPARATOR = "#";

/** The host's name in claims. */
const HOST_NAME = "host";

/**
 * Client names on one caller's connections: its own as they call themselves, others in full, so that nobody can pose as
 * another credential's client.
 */
export class ClientNames implements WireNames {
  readonly #prefix: string;

  constructor(callerId: CallerId) {
    this.#prefix = callerId + SEPARATOR;
  }

  /** Throws -32602. */
  own(wire: string, field = "clientId"): ClientId {
    if (wire === HOST_NAME) throw invalidParams(field, "`host` is the host itself");
    if (wire === "") throw invalidParams(field, "must not be empty");
    return this.#named(this.#prefix + wire, field);
  }

  /** As this caller sees it. */
  toWire(clientId: string): string {
    return clientId.startsWith(this.#prefix) ? clientId.slice(this.#prefix.length) : clientId;
  }

  /** Rewrites client names in a text. */
  inText(text: string): string {
    return text.replaceAll(this.#prefix, "");
  }

  /** Throws -32602. */
  toCore(
    wire: string,
    isKnown: (clientId: ClientId) => boolean,
    field = "claim.clientId",
  ): ClientId {
    if (!wire.includes(SEPARATOR)) return this.own(wire, field);
    const { data: own } = ClientId.safeParse(this.#prefix + wire);
    return own !== undefined && isKnown(own) ? own : this.#named(wire, field);
  }

  #named(clientId: string, field: string): ClientId {
    const { data, error } = ClientId.safeParse(clientId);
    if (data === undefined) {
      throw invalidParams(field, error?.issues[0]?.message ?? "cannot be the name of a client");
    }
    return data;
  }
}
