/** The only place that listens for requests, upgrades and connections: nothing reaches a transport but through here. */
import type {
  IncomingMessage,
  Server as HttpServer,
  ServerOptions,
  ServerResponse,
} from "node:http";
import type { Server as HttpsServer } from "node:https";
import type { Server as NetServer, Socket } from "node:net";
import type { Duplex } from "node:stream";
import type { CallerId, Via } from "@nacre/contracts";
import type { AuthContext, Identity } from "./auth-context.ts";
import { type AuditLog, ConnectionAudit } from "./audit.ts";
import { type Clock, SYSTEM_CLOCK } from "../base/clock.ts";
import { type ConnectionOrigin, ConnectionOrigins, Connections } from "./connections.ts";
import {
  hasBody,
  type ListenerFacts,
  MAX_HEADERS,
  type Refusal,
  splitTarget,
} from "./check-request.ts";
import { type AuthDecision, Authenticator, UNIX_SOCKET_IDENTITY } from "./authenticator.ts";
import { describePeer, type PeerReader } from "./peer.ts";
import { AGENT_HOST_PATHS, isBearerProtocol, isSecretQuery } from "./presented-credential.ts";
import { refuseRequest, refuseUpgrade } from "./refuse-request.ts";
import { FailedAuthLimiter } from "./failed-auth-limiter.ts";
import type { Tickets } from "./tickets.ts";
import type { Tokens } from "./tokens.ts";

/** Enough for a long URL and a token. */
const MAX_HEADER_BYTES = 16 * 1024;

/** As long as a socket may take to present a credential. */
const HEADERS_MS = 10_000;

/** The largest body takes much less, even on a slow line. */
const REQUEST_MS = 30_000;

/** Longer than the pauses of a page, short enough that idle connections do not pile up. */
const KEEP_ALIVE_MS = 5000;

/** Interval of the checks of these limits; Node's default of 30 s would let slow senders stay three times too long. */
const CHECK_EVERY_MS = 1000;

/** Options of every HTTP server; some cannot be set afterwards. */
export const SERVER_OPTIONS = {
  maxHeaderSize: MAX_HEADER_BYTES,
  headersTimeout: HEADERS_MS,
  requestTimeout: REQUEST_MS,
  keepAliveTimeout: KEEP_ALIVE_MS,
  connectionsCheckingInterval: CHECK_EVERY_MS,
  // A missing Host is refused like a wrong one.
  requireHostHeader: false,
  insecureHTTPParser: false,
  noDelay: true,
} as const satisfies ServerOptions;

export interface ServerGuardDeps {
  readonly tokens: Tokens;
  readonly tickets: Tickets;
  readonly audit: Pick<AuditLog, "append">;
  readonly readPeer: PeerReader;
  readonly clock?: Clock;
  /** Errors of transports, and of the audit. */
  readonly report: (error: unknown) => void;
}

export interface GuardedHandlers {
  /** Literal paths that anybody may GET, such as `/healthz`. */
  readonly publicPaths: readonly string[];
  /** No admission exactly for public paths. */
  handleRequest(
    request: IncomingMessage,
    response: ServerResponse,
    admission: AuthContext | undefined,
  ): void | Promise<void>;
  handleUpgrade(
    request: IncomingMessage,
    socket: Duplex,
    head: Buffer,
    admission: AuthContext,
  ): void | Promise<void>;
}

export type SocketHandler = (socket: Socket, admission: AuthContext) => void;

interface GuardedRequest {
  readonly request: IncomingMessage;
  readonly arrival: ConnectionOrigin;
  readonly upgrade: boolean;
  refuse(refusal: Refusal): void;
  pass(admission: AuthContext | undefined): void | Promise<void>;
}

interface GuardedListener {
  readonly listener: ListenerFacts;
  readonly handlers: GuardedHandlers;
}

const TOO_MANY_CONNECTIONS: Refusal = { status: 429, code: "limit_reached", reason: "connections" };

/** Where the sockets of the terminal service are opened. */
export const TERMINAL_SERVICE_PATH = "/api/terminal/ws";

/** Guards all listeners of a host: admits valid credentials, and closes connections whose credential ends. */
export class ServerGuard implements Disposable {
  readonly #deps: ServerGuardDeps;
  readonly #clock: Clock;
  readonly #authenticator: Authenticator;
  readonly #audit: ConnectionAudit;
  readonly #origins = new ConnectionOrigins();
  readonly #connections: Connections;
  /** Ending; further bytes are ignored. */
  readonly #refused = new WeakSet<Socket>();
  readonly #stopListening: () => void;

  constructor(deps: ServerGuardDeps) {
    const { tokens, tickets, audit, clock = SYSTEM_CLOCK } = deps;
    this.#deps = deps;
    this.#clock = clock;
    this.#authenticator = new Authenticator({
      tokens,
      tickets,
      throttle: new FailedAuthLimiter({ clock }),
    });
    this.#audit = new ConnectionAudit({ audit, clock, report: deps.report });
    this.#connections = new Connections(clock);
    this.#stopListening = tokens.onRevoked((name) => {
      tickets.forget(name);
      this.#connections.close(name);
    });
  }

  get counts(): Connections["counts"] {
    return this.#connections.counts;
  }

  /** The server must have been created with `SERVER_OPTIONS`. */
  guardServer(
    server: HttpServer | HttpsServer,
    listener: ListenerFacts,
    handlers: GuardedHandlers,
  ): void {
    const door = { listener, handlers };
    // One more than allowed, so that an excess is noticed and refused.
    server.maxHeadersCount = MAX_HEADERS + 1;
    server.on("connection", (socket: Socket) => this.#accept(socket, listener));
    server.on("request", (request, response) => this.#request(door, request, response));
    server.on("upgrade", (request, socket, head) => this.#upgrade(door, request, { socket, head }));
    // Node would answer both before the gate; other expectations are not needed.
    server.on("checkContinue", (request, response) => this.#request(door, request, response));
    server.on("checkExpectation", (request, response) => this.#request(door, request, response));
  }

  /** Another user's connection is closed before its first byte. */
  guardLocal(server: NetServer, handleSocket: SocketHandler): void {
    server.on("connection", (socket) => {
      const arrival = this.#acceptLocal(socket);
      if (arrival !== undefined)
        handleSocket(socket, makeAuthContext(UNIX_SOCKET_IDENTITY, arrival));
    });
  }

  /** Audits the beginning and the end of a lasting connection. */
  noteConnection(socket: Duplex, admission: AuthContext, via: Via): void {
    const { caller, peer } = admission;
    const record = { caller: caller.id, scope: caller.scope, via, peer, outcome: "ok" };
    this.#audit.write({ ...record, action: "connect" });
    socket.once("close", () => this.#audit.write({ ...record, action: "disconnect" }));
  }

  /** Until disposed; throws `limit_reached`. */
  openStream(caller: CallerId): Disposable {
    return this.#connections.openStream(caller);
  }

  [Symbol.dispose](): void {
    this.#stopListening();
    this.#connections[Symbol.dispose]();
  }

  #accept(socket: Socket, { kind }: ListenerFacts): void {
    // An upgraded socket has no error listener until its transport adds one; its close is what matters.
    socket.on("error", () => undefined);
    switch (kind) {
      case "tcp":
        this.#origins.addRemote(socket);
        this.#connections.accept(socket);
        return;
      case "unix":
        // Connections through `guardLocal` are known already.
        if (this.#origins.find(socket) === undefined) this.#acceptLocal(socket);
    }
  }

  #acceptLocal(socket: Socket): ConnectionOrigin | undefined {
    socket.on("error", () => undefined);
    const peer = this.#deps.readPeer(socket);
    const isOurs = peer !== undefined && peer.uid === process.getuid?.();
    if (!isOurs || !this.#connections.admit(socket, UNIX_SOCKET_IDENTITY)) {
      socket.destroy();
      this.#audit.write({
        action: "refuse",
        via: "ipc",
        outcome: isOurs ? "limit_reached" : "unauthenticated",
        facts: { reason: isOurs ? "connections" : "peer" },
        ...(peer === undefined ? {} : { peer: describePeer(peer) }),
      });
      return undefined;
    }
    return this.#origins.addLocal(socket, peer);
  }

  #request(door: GuardedListener, request: IncomingMessage, response: ServerResponse): void {
    const arrival = this.#origins.find(request.socket);
    if (arrival === undefined || this.#refused.has(arrival.socket)) return stopReading(request);
    this.#authenticate(door, {
      request,
      arrival,
      upgrade: false,
      refuse: (refusal) => refuseRequest(request, response, refusal),
      pass: (admission) => {
        if (request.headers.expect?.toLowerCase() === "100-continue") response.writeContinue();
        const isReceived = (): boolean => request.complete || !hasBody(request.rawHeaders);
        const endAnswer = this.#connections.beginResponse(arrival.socket, isReceived);
        response.once("close", endAnswer);
        return door.handlers.handleRequest(request, response, admission);
      },
    });
  }

  #upgrade(
    door: GuardedListener,
    request: IncomingMessage,
    { socket, head }: UpgradedSocket,
  ): void {
    const arrival = this.#origins.find(request.socket);
    if (arrival === undefined || this.#refused.has(arrival.socket)) {
      socket.destroy();
      return;
    }
    this.#authenticate(door, {
      request,
      arrival,
      upgrade: true,
      refuse: (refusal) => refuseUpgrade(request, socket, refusal),
      pass: (admission) => {
        // Only a request can be public.
        if (admission === undefined) return undefined;
        this.noteConnection(arrival.socket, admission, viaOf(request, true));
        return door.handlers.handleUpgrade(request, socket, head, admission);
      },
    });
  }

  #authenticate({ listener, handlers }: GuardedListener, passage: GuardedRequest): void {
    const { request, arrival, upgrade } = passage;
    const { method = "", url: target = "", rawHeaders } = request;
    const { publicPaths } = handlers;
    const facts = { listener, publicPaths, method, target, rawHeaders, upgrade };
    const judgement = this.#authenticator.authenticate(facts, arrival);
    switch (judgement.outcome) {
      case "refused":
        return this.#refuse(passage, judgement);
      case "public":
        if (this.#connections.isBusy(arrival.socket)) {
          return this.#refuse(passage, { refusal: TOO_MANY_CONNECTIONS, delayMs: 0 });
        }
        return this.#pass(passage, undefined);
      case "admitted": {
        const { identity } = judgement;
        const isAdmitted = this.#connections.admit(arrival.socket, identity);
        if (!isAdmitted || this.#connections.isBusy(arrival.socket)) {
          return this.#refuse(passage, { refusal: TOO_MANY_CONNECTIONS, delayMs: 0 }, identity);
        }
        return this.#pass(passage, makeAuthContext(identity, arrival));
      }
    }
  }

  #pass(passage: GuardedRequest, admission: AuthContext | undefined): void {
    const { request, arrival, upgrade } = passage;
    stripCredentials(request, upgrade);
    const pass = async (): Promise<void> => passage.pass(admission);
    pass().catch((error: unknown) => {
      // Transports answer their own failures; this one is a bug, and half an answer helps nobody.
      arrival.socket.destroy();
      this.#deps.report(error);
    });
  }

  #refuse(
    passage: GuardedRequest,
    { refusal, delayMs }: DelayedRefusal,
    identity?: Identity,
  ): void {
    const { request, arrival, upgrade } = passage;
    this.#refused.add(arrival.socket);
    stopReading(request);
    this.#audit.write({
      action: "refuse",
      via: viaOf(request, upgrade),
      peer: arrival.peer,
      outcome: refusal.code,
      facts: { reason: refusal.reason, status: refusal.status },
      ...(identity === undefined
        ? {}
        : { caller: identity.caller.id, scope: identity.caller.scope }),
    });
    if (delayMs === 0) passage.refuse(refusal);
    else this.#clock.after(delayMs, () => passage.refuse(refusal));
  }
}

type DelayedRefusal = Pick<Extract<AuthDecision, { outcome: "refused" }>, "refusal" | "delayMs">;

interface UpgradedSocket {
  readonly socket: Duplex;
  readonly head: Buffer;
}

const makeAuthContext = (
  { caller, credential }: Identity,
  { peer, source }: ConnectionOrigin,
): AuthContext => ({ caller, credential, peer, source });

/** Bytes after a refused request must not pile up; Node parses the next one in this turn. */
const stopReading = ({ socket }: IncomingMessage): void =>
  process.nextTick(() => void socket.pause());

function viaOf({ url = "" }: IncomingMessage, upgrade: boolean): Via {
  if (!upgrade) return "http";
  const { path } = splitTarget(url);
  if (AGENT_HOST_PATHS.includes(path)) return "ahp";
  return path === TERMINAL_SERVICE_PATH ? "service" : "raw";
}

/** Nothing behind the gate can log or echo a credential. */
function stripCredentials(request: IncomingMessage, upgrade: boolean): void {
  delete request.headers.authorization;
  const { rawHeaders } = request;
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]?.toLowerCase();
    if (name === "authorization") rawHeaders[index + 1] = "";
    if (name === "sec-websocket-protocol") rawHeaders[index + 1] = "";
  }
  // So that no transport selects the credential as the protocol.
  const offered = request.headers["sec-websocket-protocol"]?.split(",").map((name) => name.trim());
  const left = offered?.filter((protocol) => !isBearerProtocol(protocol)).join(", ");
  if (left === undefined || left === "") delete request.headers["sec-websocket-protocol"];
  else request.headers["sec-websocket-protocol"] = left;
  request.url = stripSecretQuery(request.url ?? "/", upgrade);
}

function stripSecretQuery(target: string, upgrade: boolean): string {
  const { path, query } = splitTarget(target);
  if (query === "") return target;
  const kept = query.split("&").filter((pair) => {
    const [name] = new URLSearchParams(pair).keys();
    return name === undefined || !isSecretQuery(name, { path, upgrade });
  });
  return kept.length === 0 ? path : `${path}?${kept.join("&")}`;
}
