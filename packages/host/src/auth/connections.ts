import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { type CallerId, NacreError } from "@nacre/contracts";
import type { Identity } from "./auth-context.ts";
import { type Clock, SYSTEM_CLOCK } from "../base/clock.ts";
import type { RequestOrigin } from "./authenticator.ts";
import { describePeer, type LocalPeer } from "./peer.ts";

/** Noted when the connection was accepted. */
export interface ConnectionOrigin extends RequestOrigin {
  /** Below TLS. */
  readonly socket: Socket;
  /** For the audit. */
  readonly peer: string;
}

/** Remembers where each connection came from; never taken from what was sent. */
export class ConnectionOrigins {
  readonly #arrivals = new WeakMap<Duplex, ConnectionOrigin>();
  /** With TLS, requests arrive on another socket object; both ends' addresses join them. */
  readonly #byAddress = new Map<string, ConnectionOrigin>();

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

  addLocal(socket: Socket, peer: LocalPeer): ConnectionOrigin {
    const arrival = { socket, source: `uid ${peer.uid}`, peer: describePeer(peer), isLocal: true };
    this.#arrivals.set(socket, arrival);
    return arrival;
  }

  /** Undefined when it is gone already. */
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

/** Sockets without a credential so far; beyond this the oldest is dropped, so that a valid client always gets in. */
export const MAX_PENDING_CONNECTIONS = 64;

/** A new socket has this long to speak before it can be dropped, so that a flood does not carry a valid client away. */
export const PENDING_GRACE_MS = 100;

/** Hard bound for the memory. */
const MAX_PENDING_CONNECTIONS_HARD = 1024;

/** Time to send headers with a credential. */
export const CREDENTIAL_TIMEOUT_MS = 10_000;

/** More than one machine's people and agents need, less than its file descriptors. */
export const MAX_CONNECTIONS = 512;

/** Reserved: no agent can keep out the operator who has to stop it. */
export const RESERVED_OPERATOR_CONNECTIONS = 64;

/** For non-operators: more than one agent needs, and others find room beside it. */
export const MAX_CONNECTIONS_PER_CREDENTIAL = 128;

/** Few programs pipeline requests. */
export const MAX_IN_FLIGHT_PER_CONNECTION = 32;

/** Enough for many open pages, few enough to notice a page in a loop. */
export const MAX_STREAMS_PER_CALLER = 32;

/** How long a pending answer may take after its credential was revoked: it may be the answer to just that. */
const DRAIN_TIMEOUT_MS = 500;

interface PendingConnection {
  readonly arrivedAt: number;
  /** Cancels its timeout. */
  readonly stop: () => void;
}

interface Connection {
  /** Credentials of its requests; a proxy sends those of many over one connection. */
  readonly names: Set<string>;
  readonly isOperators: boolean;
  /** Its credential is gone: it ends with its last answer. */
  isClosing: boolean;
}

/** Counts and bounds all sockets, and knows each one's credentials. */
export class Connections implements Disposable {
  readonly #clock: Clock;
  /** Oldest first. */
  readonly #pending = new Map<Socket, PendingConnection>();
  readonly #connections = new Map<Socket, Connection>();
  /** For each pending answer on a socket, whether its request was received completely. */
  readonly #inFlight = new WeakMap<Socket, Set<() => boolean>>();
  readonly #streams = new Map<CallerId, number>();
  #stopTrimming: (() => void) | undefined;

  constructor(clock: Clock = SYSTEM_CLOCK) {
    this.#clock = clock;
  }

  get counts(): { readonly strangers: number; readonly connections: number } {
    return { strangers: this.#pending.size, connections: this.#connections.size };
  }

  /** Starts the time to present a credential. */
  accept(socket: Socket): void {
    const stop = this.#clock.after(CREDENTIAL_TIMEOUT_MS, () => socket.destroy());
    this.#pending.set(socket, { arrivedAt: this.#clock.monotonicMs(), stop });
    socket.once("close", () => this.#leave(socket));
    this.#dropOldest(MAX_PENDING_CONNECTIONS_HARD, Infinity);
    if (this.#pending.size > MAX_PENDING_CONNECTIONS && this.#stopTrimming === undefined)
      this.#trim();
  }

  /** False when there are too many connections. */
  admit(socket: Socket, { caller, credential: { name } }: Identity): boolean {
    // It may have closed meanwhile; then nobody would take it off the list.
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

  /** The maximum of pending answers is reached. */
  isBusy(socket: Socket): boolean {
    return this.#inFlightOf(socket).size >= MAX_IN_FLIGHT_PER_CONNECTION;
  }

  /** Call the result when the answer ended; the request may still be arriving. */
  beginResponse(socket: Socket, isReceived: () => boolean): () => void {
    const answers = this.#inFlightOf(socket);
    answers.add(isReceived);
    return () => {
      answers.delete(isReceived);
      if (this.#connections.get(socket)?.isClosing && answers.size === 0) socket.destroy();
    };
  }

  /**
   * Closes the connections of a credential: idle and upgraded ones now, others after their last answer. A request that
   * is still incomplete was not made while the credential was valid, and is not waited for.
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

  /** Until disposed; throws `limit_reached`. */
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

  /** Drops those past their grace time while there are too many. */
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
