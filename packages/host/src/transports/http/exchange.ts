import type { IncomingMessage, ServerResponse } from "node:http";
import { NacreError, type Scope } from "@nacre/contracts";
import type { AuthContext } from "../../auth/admission.ts";
import type { CallContext } from "../../operations/call-context.ts";
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
  if (admission === undefined) throw new NacreError("unauthenticated", "a credential is needed");
  return { caller: admission.caller, via, peer: admission.peer, signal };
}
