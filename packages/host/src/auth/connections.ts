import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { type CallerId, NacreError } from "@nacre/contracts";
import type { Identity } from "./auth-context.ts";
import { type Clock, SYSTEM_CLOCK } from "../base/clock.ts";
import type { RequestOrigin } from "./authenticator.ts";
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

/** Sockets that have not shown a credential yet. Beyond this the oldest gives way, so that a right client always gets in. */
export const MAX_PENDING_CONNECTIONS = 64;

/** A socket that just came has this long to speak before it gives way, so that a flood does not carry a right client away. */
export const PENDING_GRACE_MS = 100;

/** So many sockets at most may be in that moment: a bound for the memory. */
const MAX_PENDING_CONNECTIONS_HARD = 1024;

/** How long a socket may take to send its headers with a credential. */
export const CREDENTIAL_TIMEOUT_MS = 10_000;

/** Connections of callers: more than one machine's people and agents need, less than its file descriptors. */
export const MAX_CONNECTIONS = 512;

/** So many of them are left to operators: no agent can keep out who would have to stop it. */
export const RESERVED_OPERATOR_CONNECTIONS = 64;

/** Connections by one credential that is no operator's: more than one agent needs, and others find room beside it. */
export const MAX_CONNECTIONS_PER_CREDENTIAL = 128;

/** Requests of one connection that are answered at a time: few programs send a second before they have the first answer. */
export const MAX_IN_FLIGHT_PER_CONNECTION = 32;

/** Event streams of one caller: enough for many open pages, few enough that a page in a loop is noticed. */
export const MAX_STREAMS_PER_CALLER = 32;

/** How long an answer that is under way may still take when its credential is taken away: it may be the answer to just that. */
const DRAIN_TIMEOUT_MS = 500;

interface PendingConnection {
  /** Unix ms. */
  readonly arrivedAt: number;
  /** Stops its time. */
  readonly stop: () => void;
}

interface Connection {
  /** By which credentials requests came over it; a proxy sends those of many over one. */
  readonly names: Set<string>;
  /** Whether an operator opened it. */
  readonly isOperators: boolean;
  /** Set once its credential is gone: it ends with its last answer. */
  isClosing: boolean;
}

/** Counts and bounds all sockets, and knows which credential each lives by. */
export class Connections implements Disposable {
  readonly #clock: Clock;
  /** Those without a credential, oldest first. */
  readonly #pending = new Map<Socket, PendingConnection>();
  readonly #connections = new Map<Socket, Connection>();
  /** Of each answer under way on a socket, with or without a credential, whether its request has come as a whole. */
  readonly #inFlight = new WeakMap<Socket, Set<() => boolean>>();
  readonly #streams = new Map<CallerId, number>();
  #stopTrimming: (() => void) | undefined;

  constructor(clock: Clock = SYSTEM_CLOCK) {
    this.#clock = clock;
  }

  get counts(): { readonly strangers: number; readonly connections: number } {
    return { strangers: this.#pending.size, connections: this.#connections.size };
  }

  /** A socket came; it has a short time to show a credential. */
  accept(socket: Socket): void {
    const stop = this.#clock.after(CREDENTIAL_TIMEOUT_MS, () => socket.destroy());
    this.#pending.set(socket, { arrivedAt: this.#clock.monotonicMs(), stop });
    socket.once("close", () => this.#leave(socket));
    this.#dropOldest(MAX_PENDING_CONNECTIONS_HARD, Infinity);
    if (this.#pending.size > MAX_PENDING_CONNECTIONS && this.#stopTrimming === undefined)
      this.#trim();
  }

  /** Whether a request by this credential may use the socket; false when there are too many connections. */
  admit(socket: Socket, { caller, credential: { name } }: Identity): boolean {
    // It may have been closed while its request was looked at; then nobody would take it off the list.
    if (socket.destroyed) return false;
    const known = this.#connections.get(socket);
    const isOperators = caller.scope === "operator";
    if (known === undefined && !this.#hasRoom(name, isOperators)) return false;
    if (known === undefined && !this.#pending.has(socket)) {
      socket.once("close", () => this.#leave(socket));
    }
    this.#pending.get(socket)?.stop();
    this.#pending.delete(socket);
    const connection = known ?? { names: new Set(), isOperators, isClosing: false };
    connection.names.add(name);
    this.#connections.set(socket, connection);
    return true;
  }

  /** Whether as many answers are under way as one connection may have. */
  isBusy(socket: Socket): boolean {
    return this.#inFlightOf(socket).size >= MAX_IN_FLIGHT_PER_CONNECTION;
  }

  /** An answer is under way to a request that may still be coming; what this returns is called when it ended. */
  beginResponse(socket: Socket, isReceived: () => boolean): () => void {
    const answers = this.#inFlightOf(socket);
    answers.add(isReceived);
    return () => {
      answers.delete(isReceived);
      if (this.#connections.get(socket)?.isClosing && answers.size === 0) socket.destroy();
    };
  }

  /**
   * Closes every connection that lives by a credential: idle and upgraded ones now, the others after their last answer.
   * A request that has not come as a whole was not made while the credential was good, and is not waited for.
   */
  close(name: string): void {
    for (const [socket, connection] of this.#connections) {
      if (!connection.names.has(name)) continue;
      connection.isClosing = true;
      const answers = [...this.#inFlightOf(socket)];
      if (answers.length === 0 || answers.some((isReceived) => !isReceived())) socket.destroy();
      else this.#clock.after(DRAIN_TIMEOUT_MS, () => socket.destroy());
    }
  }

  /** Counts an event stream of a caller until it is disposed, or refuses with `limit_reached`. */
  openStream(caller: CallerId): Disposable {
    const count = this.#streams.get(caller) ?? 0;
    if (count >= MAX_STREAMS_PER_CALLER) {
      throw new NacreError(
        "limit_reached",
        `${caller} has ${count} event streams open, the most for one caller`,
        { suggestion: "Close some of them; one stream can follow several channels." },
      );
    }
    this.#streams.set(caller, count + 1);
    let isOpen = true;
    return {
      [Symbol.dispose]: () => {
        if (!isOpen) return;
        isOpen = false;
        const left = (this.#streams.get(caller) ?? 1) - 1;
        if (left === 0) this.#streams.delete(caller);
        else this.#streams.set(caller, left);
      },
    };
  }

  /** Closes everything. */
  [Symbol.dispose](): void {
    this.#stopTrimming?.();
    for (const socket of [...this.#pending.keys(), ...this.#connections.keys()]) socket.destroy();
  }

  #hasRoom(name: string, isOperators: boolean): boolean {
    if (this.#connections.size >= MAX_CONNECTIONS) return false;
    if (isOperators) return true;
    const others = [...this.#connections.values()].filter((other) => !other.isOperators);
    const own = others.filter(({ names }) => names.has(name));
    return (
      others.length < MAX_CONNECTIONS - RESERVED_OPERATOR_CONNECTIONS &&
      own.length < MAX_CONNECTIONS_PER_CREDENTIAL
    );
  }

  #inFlightOf(socket: Socket): Set<() => boolean> {
    const answers = this.#inFlight.get(socket) ?? new Set();
    this.#inFlight.set(socket, answers);
    return answers;
  }

  #leave(socket: Socket): void {
    this.#pending.get(socket)?.stop();
    this.#pending.delete(socket);
    this.#connections.delete(socket);
  }

  /** Drops those that had their moment, as long as there are too many. */
  #trim(): void {
    const now = this.#clock.monotonicMs();
    this.#stopTrimming = undefined;
    this.#dropOldest(MAX_PENDING_CONNECTIONS, now - PENDING_GRACE_MS);
    if (this.#pending.size <= MAX_PENDING_CONNECTIONS) return;
    const [oldest] = this.#pending.values();
    const waitMs = (oldest?.arrivedAt ?? now) + PENDING_GRACE_MS - now;
    this.#stopTrimming = this.#clock.after(Math.min(waitMs, PENDING_GRACE_MS), () => this.#trim());
  }

  #dropOldest(most: number, arrivedBy: number): void {
    for (const [socket, { arrivedAt, stop }] of this.#pending) {
      if (this.#pending.size <= most || arrivedAt > arrivedBy) return;
      stop();
      this.#pending.delete(socket);
      socket.destroy();
    }
  }
}
