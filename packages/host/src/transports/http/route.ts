import type { IncomingMessage, ServerResponse } from "node:http";
import {
  type CallerId,
  NacreError,
  type Scope,
  type SubscriptionMessage,
  type SubscriptionName,
} from "@nacre/contracts";
import type { AuthContext } from "../../auth/auth-context.ts";
import type { Prover } from "../../auth/proof.ts";
import type { CallContext } from "../../operations/call-context.ts";
import type { Operations } from "../../operations/operations.ts";
import type { StreamOptions } from "./event-stream.ts";
import type { HttpReply } from "./reply.ts";

/** One request on its way to its answer. */
export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Who asks; absent on what is open to everybody. */
  readonly admission: AuthContext | undefined;
  /** What stands in the path, by name. */
  readonly parameters: Readonly<Record<string, string>>;
  /** The query without its question mark. */
  readonly query: string;
  /** Fires when the client is gone. */
  readonly signal: AbortSignal;
}

/** Where requests go and who may send them, as data. */
export interface RouteRow {
  /** The operation, the subscription, or what else answers. */
  readonly name: string;
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** A `{name}` stands for one segment. */
  readonly path: string;
  /** Whether it is open to everybody or needs a credential. */
  readonly access: "public" | "credential";
  /** Which credentials are good for it; none are asked for where it is public. */
  readonly scopes: readonly Scope[];
  /** Whether it changes anything. */
  readonly mutates: boolean;
}

/** A row with what answers it; nothing is returned by what goes on writing by itself. */
export interface Route extends RouteRow {
  answer(exchange: Exchange): Promise<HttpReply | undefined> | HttpReply;
}

/** Who asks, from where and until when, for an operation. */
export function requireCallContext(
  { admission, signal }: Exchange,
  via: CallContext["via"] = "http",
): CallContext {
  if (admission === undefined) throw new NacreError("unauthenticated", "authentication required");
  return { caller: admission.caller, via, peer: admission.peer, signal };
}

/** As much of the operations as this wire carries. */
interface HttpOperations extends Pick<Operations, "call" | "exportRecording" | "importRecording"> {
  follow<Name extends SubscriptionName>(
    name: Name,
    input: unknown,
    context: CallContext,
  ): Promise<AsyncIterable<SubscriptionMessage<Name>> & Disposable>;
}

/** What the rest of the host can tell about itself for `/metrics`. */
export interface MetricsSource {
  /** Open connections by kind. */
  connections(): ReadonlyMap<string, number>;
  /** Refused connections and requests by the code of the refusal. */
  refusals(): ReadonlyMap<string, number>;
}

/** Answers requests of agents that use tools, in the words of the web; the body is read and checked already. */
interface McpHandler {
  answer(request: Request, body: unknown, context: CallContext): Promise<Response>;
}

export interface RouterOptions {
  readonly operations: HttpOperations;
  readonly prover: Pick<Prover, "prove">;
  /** Routes of transports that speak over HTTP in words of their own. */
  readonly foreignRoutes: readonly Route[];
  readonly mcp: McpHandler;
  readonly metrics: MetricsSource;
  /** Counts an event stream of a caller until it is disposed, or refuses with `limit_reached`. */
  openStream(caller: CallerId): Disposable;
  /** Times of event streams, where the usual do not fit. */
  readonly streams?: Pick<StreamOptions, "heartbeatMs" | "stallMs">;
  /** Is told of what is a bug; the client only hears that there is one. */
  handleProblem(error: unknown): void;
}

export interface RouterDeps extends Omit<RouterOptions, "streams"> {
  readonly streams: StreamOptions;
}
