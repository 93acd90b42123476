import { RPC_CODES, JsonRpcError } from "./rpc-error.ts";

/** Names a request among those of one connection; its answer carries the same. */
export type JsonRpcId = number | string;

/** One message of a client. */
export type JsonRpcMessage =
  | {
      readonly kind: "request";
      readonly id: JsonRpcId;
      readonly method: string;
      readonly params: unknown;
    }
  | { readonly kind: "notification"; readonly method: string; readonly params: unknown }
  /** The host asks clients nothing, so that an answer answers nothing. */
  | { readonly kind: "response" };

/** A message that is no JSON-RPC; it is answered under the id it has, or under none. */
export class InvalidMessageError extends JsonRpcError {
  override readonly name = "InvalidMessageError";
  readonly id: JsonRpcId | null;

  constructor(id: JsonRpcId | null, message: string) {
    super(RPC_CODES.invalidRequest, message);
    this.id = id;
  }
}

/** Tells what a client sent, or throws `InvalidMessageError`. */
export function parseMessage(value: unknown): JsonRpcMessage {
  if (Array.isArray(value)) throw new InvalidMessageError(null, "batches are not spoken here");
  if (typeof value !== "object" || value === null) {
    throw new InvalidMessageError(null, "a message is one JSON object");
  }
  const message = value as Readonly<Record<string, unknown>>;
  const id = isJsonRpcId(message["id"]) ? message["id"] : null;
  if (message["jsonrpc"] !== "2.0") {
    throw new InvalidMessageError(id, 'jsonrpc: a message has `"jsonrpc": "2.0"`');
  }
  if (isResponse(message)) return { kind: "response" };
  const { method, params } = message;
  if (typeof method !== "string") throw new InvalidMessageError(id, "method: expected a string");
  if (!Object.hasOwn(message, "id")) return { kind: "notification", method, params };
  if (id === null) throw new InvalidMessageError(null, "id: expected a number or a string");
  return { kind: "request", id, method, params };
}

const isJsonRpcId = (value: unknown): value is JsonRpcId =>
  typeof value === "string" || (typeof value === "number" && Number.isFinite(value));

const isResponse = (message: object): boolean =>
  !Object.hasOwn(message, "method") &&
  (Object.hasOwn(message, "result") || Object.hasOwn(message, "error"));

/** The answer to a request; where there is nothing to say the result is `null`, as clients wait for the key. */
export const encodeResponse = (id: JsonRpcId, result: unknown): string =>
  JSON.stringify({ jsonrpc: "2.0", id, result: result ?? null });

/** The answer to a request that failed, or to a message that could not be read. */
export const encodeErrorResponse = (
  id: JsonRpcId | null,
  { code, message, data }: JsonRpcError,
): string =>
  JSON.stringify({
    jsonrpc: "2.0",
    id,
    error: { code, message, ...(data === undefined ? {} : { data }) },
  });
