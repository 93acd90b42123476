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

export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Absent for public routes. */
  readonly admission: AuthContext | undefined;
  /** From the path. */
  readonly parameters: Readonly<Record<string, string>>;
  /** Without `?`. */
  readonly query: string;
  /** Aborted when the client is gone. */
  readonly signal: AbortSignal;
}

export interface RouteRow {
  /** The operation, subscription or other handler. */
  readonly name: string;
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** `{name}` stands for one segment. */
  readonly path: string;
  readonly access: "public" | "credential";
  /** Empty where public. */
  readonly scopes: readonly Scope[];
  readonly mutates: boolean;
}

/** Returns undefined where the handler writes by itself. */
export interface Route extends RouteRow {
  answer(exchange: Exchange): Promise<HttpReply | undefined> | HttpReply;
}

export function requireCallContext(
  { admission, signal }: Exchange,
  via: CallContext["via"] = "http",
): CallContext {
  if (admission === undefined) throw new NacreError("unauthenticated", "authentication required");
  return { caller: admission.caller, via, peer: admission.peer, signal };
}

interface HttpOperations extends Pick<Operations, "call" | "exportRecording" | "importRecording"> {
  follow<Name extends SubscriptionName>(
    name: Name,
    input: unknown,
    context: CallContext,
  ): Promise<AsyncIterable<SubscriptionMessage<Name>> & Disposable>;
}

export interface MetricsSource {
  connections(): ReadonlyMap<string, number>;
  /** By error code. */
  refusals(): ReadonlyMap<string, number>;
}

/** Body already read and checked. */
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
  /** Until disposed; throws `limit_reached`. */
  openStream(caller: CallerId): Disposable;
  /** For tests. */
  readonly streams?: Pick<StreamOptions, "heartbeatMs" | "stallMs">;
  /** Bugs; the client only learns that there is one. */
  handleProblem(error: unknown): void;
}

export interface RouterDeps extends Omit<RouterOptions, "streams"> {
  readonly streams: StreamOptions;
}
