import { type ErrorCode, ERRORS, NacreError } from "@nacre/contracts";

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
  override readonly name: string = "RpcError";
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
interface FailureData {
  readonly code: ErrorCode;
  readonly field?: string;
  readonly suggestion: string;
  readonly details?: Readonly<Record<string, unknown>>;
}

/** Spells a failure for this wire; nothing where it is a fault, whose words are not for clients. */
export function toJsonRpcError(error: unknown): JsonRpcError | undefined {
  if (error instanceof JsonRpcError) return error;
  if (!(error instanceof NacreError)) return undefined;
  const { code, message, field, suggestion, details } = error;
  const data: FailureData = {
    code,
    ...(field === undefined ? {} : { field }),
    suggestion,
    ...(details === undefined ? {} : { details }),
  };
  return new JsonRpcError(ERRORS[code].jsonRpcCode, describeFailure(message, suggestion), data);
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
