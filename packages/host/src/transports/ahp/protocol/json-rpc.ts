import { encodeError, type ErrorJson, ERRORS, NacreError } from "@nacre/contracts";

/** What JSON-RPC and the Agent Host Protocol call the failures that this host answers with. */
export const RPC_CODES = {
  parseError: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internalError: -32603,
  sessionNotFound: -32001,
  providerNotFound: -32002,
  unsupportedProtocolVersion: -32005,
  notFound: -32008,
  permissionDenied: -32009,
  alreadyExists: -32010,
  conflict: -32011,
} as const;

/** A failure as a client of this wire reads it. */
export class JsonRpcError extends Error {
  override readonly name: string = "JsonRpcError";
  readonly code: number;
  /** What programs can read about it, as plain JSON. */
  readonly data: unknown;

  constructor(code: number, message: string, data?: unknown) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

/** What stands in `data` of every failure that a caller can act on. */
type FailureData = Omit<ErrorJson, "message">;

/** Spells a failure for this wire; nothing where it is a fault, whose words are not for clients. */
export function toJsonRpcError(error: unknown): JsonRpcError | undefined {
  if (error instanceof JsonRpcError) return error;
  if (!(error instanceof NacreError)) return undefined;
  const { message, ...data } = encodeError(error);
  const text = describeFailure(message, data.suggestion);
  return new JsonRpcError(ERRORS[data.code].jsonRpcCode, text, data);
}

/** What is wrong and what to do, in one text: many clients show nothing else. */
function describeFailure(message: string, suggestion: string): string {
  // That something is to be corrected goes without saying.
  const isObvious = suggestion === ERRORS.invalid_argument.nextStep || suggestion === "";
  const isSaid = message.toLowerCase().endsWith(suggestion.replace(/\.$/, "").toLowerCase());
  return isObvious || isSaid ? message : `${message}. ${suggestion}`;
}

/** That one field of the params cannot be used, and why. */
export function invalidParams(field: string, why: string): JsonRpcError {
  const { nextStep } = ERRORS.invalid_argument;
  const data: FailureData = { code: "invalid_argument", field, suggestion: nextStep };
  return new JsonRpcError(RPC_CODES.invalidParams, `${field}: ${why}`, data);
}

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
): string => JSON.stringify({ jsonrpc: "2.0", id, error: { code, message, data } });
