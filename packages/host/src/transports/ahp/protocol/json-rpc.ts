import { encodeError, type ErrorJson, ERRORS, NacreError } from "@nacre/contracts";

/** JSON-RPC and Agent Host Protocol codes that this host answers with. */
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

export class JsonRpcError extends Error {
  override readonly name: string = "JsonRpcError";
  readonly code: number;
  readonly data: unknown;

  constructor(code: number, message: string, data?: unknown) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

/** In `data` of every error that a caller can act on. */
type FailureData = Omit<ErrorJson, "message">;

/** Undefined for a bug, whose message is not for clients. */
export function toJsonRpcError(error: unknown): JsonRpcError | undefined {
  if (error instanceof JsonRpcError) return error;
  if (!(error instanceof NacreError)) return undefined;
  const { message, ...data } = encodeError(error);
  const text = describeFailure(message, data.suggestion);
  return new JsonRpcError(ERRORS[data.code].jsonRpcCode, text, data);
}

/** One text with the next step: many clients show nothing else. */
function describeFailure(message: string, suggestion: string): string {
  // "Correct the field" goes without saying.
  const isObvious = suggestion === ERRORS.invalid_argument.nextStep || suggestion === "";
  const isSaid = message.toLowerCase().endsWith(suggestion.replace(/\.$/, "").toLowerCase());
  return isObvious || isSaid ? message : `${message}. ${suggestion}`;
}

export function invalidParams(field: string, why: string): JsonRpcError {
  const { nextStep } = ERRORS.invalid_argument;
  const data: FailureData = { code: "invalid_argument", field, suggestion: nextStep };
  return new JsonRpcError(RPC_CODES.invalidParams, `${field}: ${why}`, data);
}

/** Per connection. */
export type JsonRpcId = number | string;

export type JsonRpcMessage =
  | {
      readonly kind: "request";
      readonly id: JsonRpcId;
      readonly method: string;
      readonly params: unknown;
    }
  | { readonly kind: "notification"; readonly method: string; readonly params: unknown }
  /** The host sends no requests, so a response is ignored. */
  | { readonly kind: "response" };

/** Answered under its id, or null. */
export class InvalidMessageError extends JsonRpcError {
  override readonly name = "InvalidMessageError";
  readonly id: JsonRpcId | null;

  constructor(id: JsonRpcId | null, message: string) {
    super(RPC_CODES.invalidRequest, message);
    this.id = id;
  }
}

/** Throws `InvalidMessageError`. */
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

/** `null` where there is no result, as clients expect the key. */
export const encodeResponse = (id: JsonRpcId, result: unknown): string =>
  JSON.stringify({ jsonrpc: "2.0", id, result: result ?? null });

export const encodeErrorResponse = (
  id: JsonRpcId | null,
  { code, message, data }: JsonRpcError,
): string => JSON.stringify({ jsonrpc: "2.0", id, error: { code, message, data } });
