import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import type { RequestOrigin } from "./judge.ts";
import { describePeer, type LocalPeer } from "./peer.ts";

/** A connection and where it comes from, as it was when it came. */
export interface ConnectionOrigin extends RequestOrigin {
  /** The connection itself, below any encryption. */
  readonly socket: Socket;
  /** Where it comes from, for the audit. */
  readonly peer: string;
}

/** Remembers where every connection came from; nothing in it is taken from what was sent. */
export class ConnectionOrigins {
  readonly #arrivals = new WeakMap<Duplex, ConnectionOrigin>();
  /** With TLS, requests come by another socket object; the addresses of both ends join them. */
  readonly #byAddress = new Map<string, ConnectionOrigin>();

  /** Notes a connection over the network. */
  addRemote(socket: Socket): ConnectionOrigin {
    const { remoteAddress = "unknown", remotePort = 0 } = socket;
    const source = remoteAddress.replace(/^::ffff:/, "");
    const address = source.includes(":") ? `[${source}]` : source;
    const arrival = { socket, source, peer: `${address}:${remotePort}`, isLocal: false };
    const key = formatAddressPair(socket);
    this.#arrivals.set(socket, arrival);
    this.#byAddress.set(key, arrival);
    socket.once("close", () => this.#byAddress.delete(key));
    return arrival;
  }

  /** Notes a connection of our own user over the unix socket. */
  addLocal(socket: Socket, peer: LocalPeer): ConnectionOrigin {
    const arrival = { socket, source: `uid ${peer.uid}`, peer: describePeer(peer), isLocal: true };
    this.#arrivals.set(socket, arrival);
    return arrival;
  }

  /** Where the connection of a request came from; undefined when it is gone already. */
  find(socket: Socket): ConnectionOrigin | undefined {
    return this.#arrivals.get(socket) ?? this.#byAddress.get(formatAddressPair(socket));
  }
}

const formatAddressPair = ({
  remoteAddress,
  remotePort,
  localAddress,
  localPort,
}: Socket): string => [remoteAddress, remotePort, localAddress, localPort].join(" ");
