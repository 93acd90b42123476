import { type CallerId, ClientId } from "@nacre/contracts";
import { invalidParams } from "./json-rpc.ts";
import type { WireNames } from "./shaping.ts";

/** Stands between the caller and what its client calls itself. */
const SEPARATOR = "#";

/** What the host calls itself in claims. */
const HOST_NAME = "host";

/**
 * How clients are named on the connections of one caller: its own by what they call themselves, those of others in
 * full, so that nobody can pose as the client of another credential.
 */
export class ClientNames implements WireNames {
  readonly #prefix: string;

  constructor(callerId: CallerId) {
    this.#prefix = callerId + SEPARATOR;
  }

  /** The full name of a client of this caller by what it calls itself, or -32602. */
  own(wire: string, field = "clientId"): ClientId {
    if (wire === HOST_NAME) throw invalidParams(field, "`host` is the host itself");
    if (wire === "") throw invalidParams(field, "must not be empty");
    return this.#named(this.#prefix + wire, field);
  }

  /** How a client is shown on the connections of this caller. */
  toWire(clientId: string): string {
    return clientId.startsWith(this.#prefix) ? clientId.slice(this.#prefix.length) : clientId;
  }

  /** A text for the connections of this caller, in which its clients are named as there. */
  inText(text: string): string {
    return text.replaceAll(this.#prefix, "");
  }

  /** The full name of the client that a client means, or -32602. */
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
