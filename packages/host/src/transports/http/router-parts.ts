import type { CallerId, SubscriptionMessage, SubscriptionName } from "@nacre/contracts";
import type { TerminalPassword } from "../../auth/password.ts";
import type { Prover } from "../../auth/proof.ts";
import type { CallContext } from "../../operations/call-context.ts";
import type { Operations } from "../../operations/dispatch.ts";
import type { StreamOptions } from "./event-stream.ts";

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

/** How the routes of the terminal service answer. */
export interface TerminalServiceAccess {
  readonly enabled: boolean;
  readonly password: TerminalPassword;
  /** What `status` says about the machine. */
  readonly platform: Readonly<Record<string, unknown>>;
}

/** What the HTTP router is made with. */
export interface RouterOptions {
  readonly operations: HttpOperations;
  readonly prover: Pick<Prover, "prove">;
  readonly sessions: TerminalServiceAccess;
  readonly mcp: McpHandler;
  readonly metrics: MetricsSource;
  /** Counts an event stream of a caller until it is disposed, or refuses with `limit_reached`. */
  openStream(caller: CallerId): Disposable;
  /** Times of event streams, where the usual do not fit. */
  readonly streams?: Pick<StreamOptions, "heartbeatMs" | "stallMs">;
  /** Is told of what is a bug; the client only hears that there is one. */
  handleProblem(error: unknown): void;
}

/** What routes answer with. */
export interface RouterDeps extends Omit<RouterOptions, "streams"> {
  readonly streams: StreamOptions;
}
