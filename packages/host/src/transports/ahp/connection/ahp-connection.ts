// One connection, from its first message to its end.
import { setImmediate } from "node:timers/promises";
import type { AuthContext } from "../../../auth/auth-context.ts";
import type { Operations } from "../../../operations/operations.ts";
import { parseJsonText } from "../../../base/parse-json-text.ts";
import type { AgentHost } from "../channels/agent-host.ts";
import {
  encodeErrorResponse,
  InvalidMessageError,
  JsonRpcError,
  type JsonRpcMessage,
  parseMessage,
  RPC_CODES,
} from "../protocol/json-rpc.ts";
import { parseParams, UnsubscribeParams } from "../protocol/params.ts";
import { KeyedSerialQueue } from "../../../base/serial-queue.ts";
import { normalizeChannelUri } from "./channel-opener.ts";
import type { ConnectedClient } from "./connected-client.ts";
import { Dispatcher } from "./dispatcher.ts";
import { type HandshakeDeps, initialize } from "./handshake.ts";
import { Inbox } from "./inbox.ts";
import {
  CONNECTION_LIMITS,
  type ConnectionLimits,
  MAX_MESSAGE_BYTES,
} from "./connection-limits.ts";
import { Outbox } from "./outbox.ts";
import { reconnect } from "./reconnect.ts";
import { ClientRequests, respond, type Responder } from "./client-requests.ts";
import { ResyncScheduler } from "./subscriptions.ts";
import { CLOSE, type Wire, type WireMessage } from "./wire.ts";

export interface AhpConnectionDeps {
  readonly wire: Wire;
  readonly agentHost: AgentHost;
  readonly operations: Operations;
  /** Who is at the other end. */
  readonly admission: Pick<AuthContext, "caller" | "peer">;
  /** An error whose details are not for the client. */
  readonly handleProblem: (error: unknown) => void;
  readonly limits?: Partial<ConnectionLimits> | undefined;
}

type JsonRpcRequest = Extract<JsonRpcMessage, { kind: "request" }>;

/** After the handshake. */
interface ServedClient {
  readonly client: ConnectedClient;
  readonly requests: ClientRequests;
  readonly dispatcher: Dispatcher;
  readonly resync: ResyncScheduler;
}

/** Messages are handled in order, each request is answered once, and nothing is left when the connection ends. */
export class AhpConnection {
  readonly #deps: AhpConnectionDeps;
  readonly #limits: ConnectionLimits;
  readonly #inbox: Inbox;
  readonly #outbox: Outbox;
  readonly #closed = new AbortController();
  readonly #inProgress = new Set<Promise<void>>();
  #served: ServedClient | undefined;
  #hasNoCommonVersion = false;

  constructor(deps: AhpConnectionDeps) {
    const { wire, handleProblem } = deps;
    this.#deps = deps;
    this.#limits = { ...CONNECTION_LIMITS, ...deps.limits };
    this.#inbox = new Inbox(wire, (message) => this.#take(message));
    this.#outbox = new Outbox(wire, this.#limits, {
      handlePressure: (isHigh) =>
        isHigh ? this.#inbox.hold("answers") : this.#inbox.release("answers"),
      handleBehind: () => this.#served?.client.parts.subscriptions.noteGap(),
      handleCalm: () => this.#served?.resync.handleCalm(),
      handleProblem,
    });
    wire.onMessage(this.#inbox.push);
    wire.onEnd(() => void this.#finish());
    wire.onClose(() => this.#close());
    wire.resume();
  }

  /** An invalid message does not end the connection. */
  #take(message: WireMessage): void {
    if (this.#closed.signal.aborted) return;
    try {
      const incoming = parseMessage(decodeMessage(message));
      if (incoming.kind === "request") this.#handleRequest(incoming);
      else if (incoming.kind === "notification") this.#handleNotification(incoming, message);
    } catch (error) {
      const id = error instanceof InvalidMessageError ? error.id : null;
      if (error instanceof JsonRpcError) this.#outbox.answer(encodeErrorResponse(id, error));
      else this.#deps.handleProblem(error);
    }
  }

  #handleRequest({ id, method, params }: JsonRpcRequest): void {
    const { handleProblem } = this.#deps;
    const work = respond(id, { outbox: this.#outbox, handleProblem }, (reply) =>
      this.#answer(method, params, reply),
    );
    this.#inProgress.add(work);
    void work.finally(() => {
      this.#inProgress.delete(work);
      // The client was told that there is no common version.
      if (this.#hasNoCommonVersion) this.#outbox.end(CLOSE.normal, "no common version");
    });
  }

  async #answer(method: string, params: unknown, reply: Responder): Promise<void> {
    if (method === "ping") reply(null);
    else if (method === "initialize" || method === "reconnect") {
      await this.#handshake(method, params, reply);
    } else if (this.#served) await this.#served.requests.handle(method, params, reply);
    else throw invalidRequest("a connection begins with `initialize` or `reconnect`");
  }

  #handleNotification(
    { method, params }: Extract<JsonRpcMessage, { kind: "notification" }>,
    message: WireMessage,
  ): void {
    const served = this.#served;
    if (!served) return;
    if (method === "dispatchAction") {
      const bytes = message.kind === "text" ? message.bytes.byteLength : 0;
      served.dispatcher.dispatch(params, bytes);
    } else if (method === "unsubscribe") {
      const { channel } = parseNotification(params) ?? {};
      if (channel !== undefined) served.client.unsubscribe(normalizeChannelUri(channel));
    }
  }

  /** Messages wait meanwhile, so that a client need not wait for the answer. */
  async #handshake(
    method: "initialize" | "reconnect",
    params: unknown,
    reply: Responder,
  ): Promise<void> {
    if (this.#served) throw invalidRequest("the handshake of this connection is done");
    this.#inbox.hold("handshake");
    try {
      const begin = method === "initialize" ? initialize : reconnect;
      await begin(this.#handshakeDeps(), params, reply);
    } catch (error) {
      this.#hasNoCommonVersion =
        error instanceof JsonRpcError && error.code === RPC_CODES.unsupportedProtocolVersion;
      throw error;
    } finally {
      if (!this.#hasNoCommonVersion) this.#inbox.release("handshake");
    }
  }

  #handshakeDeps(): HandshakeDeps {
    return {
      ...this.#deps,
      ...this.#deps.admission,
      outbox: this.#outbox,
      limits: this.#limits,
      signal: this.#closed.signal,
      handleConnected: (client) => this.#serve(client),
    };
  }

  #serve(client: ConnectedClient): void {
    const { subscriptions, handleProblem } = client.parts;
    const queue = new KeyedSerialQueue();
    const requests = new ClientRequests(client, queue);
    const dispatcher = new Dispatcher(client, queue);
    const resync = new ResyncScheduler({
      subscriptions,
      retryMs: this.#limits.retellMs,
      handleResynced: (serverSeq) => client.noteResync(serverSeq),
      goOn: () => this.#outbox.checkCalm(),
      handleProblem,
    });
    this.#served = { client, requests, dispatcher, resync };
  }

  /** The client sends no more: pending requests are answered, then the connection ends. */
  async #finish(): Promise<void> {
    // When a connection ends for another reason, queued messages are ignored.
    const isServed = (): boolean => !this.#closed.signal.aborted && !this.#outbox.isEnding;
    while (isServed() && (this.#inProgress.size > 0 || !this.#inbox.isEmpty)) {
      // Includes messages that arrive within this turn.
      await Promise.all([...this.#inProgress, this.#outbox.room(), setImmediate()]);
    }
    await this.#served?.dispatcher.idle();
    this.#outbox.end(CLOSE.normal, "nothing more was asked for");
  }

  #close(): void {
    if (this.#closed.signal.aborted) return;
    this.#closed.abort();
    this.#inbox.clear();
    this.#outbox[Symbol.dispose]();
    const served = this.#served;
    if (!served) return;
    served.client[Symbol.dispose]();
    this.#conclude(served).catch(this.#deps.handleProblem);
  }

  /** Finishes started work; a resulting claim then belongs to a client that is gone. */
  async #conclude({ client, dispatcher }: ServedClient): Promise<void> {
    await Promise.all(this.#inProgress);
    await dispatcher.close();
    const { operations, context } = client.parts;
    operations.clientBack(context.caller);
    operations.clientGone(context.caller);
  }
}

/** Refuses as JSON-RPC demands. */
function decodeMessage(message: WireMessage): unknown {
  if (message.kind === "binary") throw invalidRequest("a message is text");
  if (message.kind === "tooLong") {
    throw invalidRequest(`a message has at most ${MAX_MESSAGE_BYTES} bytes`);
  }
  try {
    return parseJsonText(message.bytes);
  } catch {
    throw new JsonRpcError(RPC_CODES.parseError, "this is no JSON, or more than any message needs");
  }
}

/** Notifications are never answered, so an invalid one is ignored. */
function parseNotification(params: unknown): { readonly channel: string } | undefined {
  try {
    return parseParams(UnsubscribeParams, params);
  } catch {
    return undefined;
  }
}

const invalidRequest = (message: string): JsonRpcError =>
  new JsonRpcError(RPC_CODES.invalidRequest, message);
