/** The one place where requests, upgrades and connections are listened for: nothing reaches a transport but through here. */
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

/** Enough for a long address and a token; a header larger than this is nobody's we know. */
const MAX_HEADER_BYTES = 16 * 1024;

/** As long as a socket may take to show a credential. */
const HEADERS_MS = 10_000;

/** The largest body we take is sent in much less, even over a slow line. */
const REQUEST_MS = 30_000;

/** Longer than the pauses between the requests of a page, short enough that idle connections do not pile up. */
const KEEP_ALIVE_MS = 5000;

/** How often the limits above are looked at; Node's own 30 s would let slow senders stay three times too long. */
const CHECK_EVERY_MS = 1000;

/** What every HTTP server of ours is created with; some of it cannot be set afterwards. */
export const SERVER_OPTIONS = {
  maxHeaderSize: MAX_HEADER_BYTES,
  headersTimeout: HEADERS_MS,
  requestTimeout: REQUEST_MS,
  keepAliveTimeout: KEEP_ALIVE_MS,
  connectionsCheckingInterval: CHECK_EVERY_MS,
  // The gate refuses a missing Host in the same way as a wrong one.
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
  /** Told what a transport threw and what the audit could not keep. */
  readonly report: (error: unknown) => void;
}

/** What happens to what is let in. */
export interface GuardedHandlers {
  /** What anybody may GET, whole and literal, such as `/healthz`. */
  readonly publicPaths: readonly string[];
  /** The admission is absent exactly for what anybody may ask. */
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

/** What happens to a connection over the unix socket that is let in. */
export type SocketHandler = (socket: Socket, admission: AuthContext) => void;

/** A request or an upgrade on its way through the gate. */
interface GuardedRequest {
  readonly request: IncomingMessage;
  readonly arrival: ConnectionOrigin;
  readonly upgrade: boolean;
  /** Answers that it is not let in. */
  refuse(refusal: Refusal): void;
  /** Hands it to its transport. */
  pass(admission: AuthContext | undefined): void | Promise<void>;
}

/** What one listener and its transports decide about a passage. */
interface GuardedListener {
  readonly listener: ListenerFacts;
  readonly handlers: GuardedHandlers;
}

const TOO_MANY_CONNECTIONS: Refusal = { status: 429, code: "limit_reached", reason: "connections" };

/** Where the sockets of the terminal service are opened. */
export const TERMINAL_SERVICE_PATH = "/api/terminal/ws";

/** Stands before all listeners of a host: lets in who shows the right credential, and closes whoever loses it. */
export class ServerGuard implements Disposable {
  readonly #deps: ServerGuardDeps;
  readonly #clock: Clock;
  readonly #authenticator: Authenticator;
  readonly #audit: ConnectionAudit;
  readonly #origins = new ConnectionOrigins();
  readonly #connections: Connections;
  /** Those that were refused and end; whatever else they send is not looked at. */
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

  /** How many sockets there are, with and without a credential. */
  get counts(): Connections["counts"] {
    return this.#connections.counts;
  }

  /** Puts the gate before an HTTP server, which must have been created with `SERVER_OPTIONS`. */
  guardServer(
    server: HttpServer | HttpsServer,
    listener: ListenerFacts,
    handlers: GuardedHandlers,
  ): void {
    const door = { listener, handlers };
    // One more than allowed is read, so that a request with too many is seen and refused.
    server.maxHeadersCount = MAX_HEADERS + 1;
    server.on("connection", (socket: Socket) => this.#accept(socket, listener));
    server.on("request", (request, response) => this.#request(door, request, response));
    server.on("upgrade", (request, socket, head) => this.#upgrade(door, request, { socket, head }));
    // Node would answer both before the gate was asked; what is expected beyond that is not needed.
    server.on("checkContinue", (request, response) => this.#request(door, request, response));
    server.on("checkExpectation", (request, response) => this.#request(door, request, response));
  }

  /** Puts the gate before the unix socket: who is not our own user is closed before the first byte. */
  guardLocal(server: NetServer, handleSocket: SocketHandler): void {
    server.on("connection", (socket) => {
      const arrival = this.#acceptLocal(socket);
      if (arrival !== undefined)
        handleSocket(socket, makeAuthContext(UNIX_SOCKET_IDENTITY, arrival));
    });
  }

  /** Audits that a lasting connection began and, when it closes, that it ended. */
  noteConnection(socket: Duplex, admission: AuthContext, via: Via): void {
    const { caller, peer } = admission;
    const record = { caller: caller.id, scope: caller.scope, via, peer, outcome: "ok" };
    this.#audit.write({ ...record, action: "connect" });
    socket.once("close", () => this.#audit.write({ ...record, action: "disconnect" }));
  }

  /** Counts an event stream of a caller until it is disposed, or refuses with `limit_reached`. */
  openStream(caller: CallerId): Disposable {
    return this.#connections.openStream(caller);
  }

  /** Closes all connections. */
  [Symbol.dispose](): void {
    this.#stopListening();
    this.#connections[Symbol.dispose]();
  }

  #accept(socket: Socket, { kind }: ListenerFacts): void {
    // An upgraded socket has no listener for errors until its transport adds one; its close is what matters.
    socket.on("error", () => undefined);
    switch (kind) {
      case "tcp":
        this.#origins.addRemote(socket);
        this.#connections.accept(socket);
        return;
      case "unix":
        // Those that came through `guardLocal` are known already.
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
        // Only a request can be for everybody.
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
      // Transports answer their own failures; what still comes here is a bug, and half an answer helps nobody.
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

/** A socket that left HTTP, and what was read of it already. */
interface UpgradedSocket {
  readonly socket: Duplex;
  readonly head: Buffer;
}

const makeAuthContext = (
  { caller, credential }: Identity,
  { peer, source }: ConnectionOrigin,
): AuthContext => ({ caller, credential, peer, source });

/** What comes behind a refused request is for nobody and must not pile up; Node goes on to the next one in this turn. */
const stopReading = ({ socket }: IncomingMessage): void =>
  process.nextTick(() => void socket.pause());

function viaOf({ url = "" }: IncomingMessage, upgrade: boolean): Via {
  if (!upgrade) return "http";
  const { path } = splitTarget(url);
  if (AGENT_HOST_PATHS.includes(path)) return "ahp";
  return path === TERMINAL_SERVICE_PATH ? "service" : "raw";
}

/** Takes every credential out of a request that was let in, so that nothing behind the gate can log or echo one. */
function stripCredentials(request: IncomingMessage, upgrade: boolean): void {
  delete request.headers.authorization;
  const { rawHeaders } = request;
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]?.toLowerCase();
    if (name === "authorization") rawHeaders[index + 1] = "";
    if (name === "sec-websocket-protocol") rawHeaders[index + 1] = "";
  }
  // Without the credential among them, no transport can select it as the protocol.
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
