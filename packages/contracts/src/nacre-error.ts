import { type ErrorCode, ERRORS } from "./error.ts";

export { type ErrorCode, ERRORS, type ErrorSpelling } from "./error.ts";

export interface NacreErrorOptions {
  readonly cause?: unknown;
  /** The path of the offending value in the request, such as `size.cols`. */
  readonly field?: string | undefined;
  /** What the caller can do next, where the table's general advice does not fit. */
  readonly suggestion?: string | undefined;
  /** What else programs may want to know, as plain JSON. */
  readonly details?: Readonly<Record<string, unknown>> | undefined;
}

/** A failure the caller can act on; anything else thrown is a bug. */
export class NacreError extends Error {
  override readonly name = "NacreError";
  readonly code: ErrorCode;
  readonly field: string | undefined;
  readonly suggestion: string;
  readonly details: Readonly<Record<string, unknown>> | undefined;

  constructor(code: ErrorCode, message: string, options: NacreErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.field = options.field;
    this.suggestion = options.suggestion ?? ERRORS[code].nextStep;
    this.details = options.details;
  }
}

/** The failure of a request whose `field` cannot be as it is. */
export const invalidArgument = (
  field: string,
  problem: string,
  options?: Omit<NacreErrorOptions, "field">,
): NacreError => new NacreError("invalid_argument", `${field}: ${problem}`, { ...options, field });

/** A NacreError as plain JSON, without its cause: what crosses threads, processes and wires. */
export interface ErrorJson {
  readonly code: ErrorCode;
  readonly message: string;
  readonly field?: string;
  readonly suggestion: string;
  readonly details?: Readonly<Record<string, unknown>>;
}

export function encodeError({ code, message, field, suggestion, details }: NacreError): ErrorJson {
  return {
    code,
    message,
    ...(field === undefined ? {} : { field }),
    suggestion,
    ...(details === undefined ? {} : { details }),
  };
}

/** Restores the error. A code unknown to this version becomes `otherwise`, and the message names it. */
export function decodeError(json: unknown, otherwise: ErrorCode): NacreError {
  const { code, message, field, suggestion, details } = fieldsOf(json);
  const isKnown = isErrorCode(code);
  const foreign = !isKnown && typeof code === "string" ? `${code}: ` : "";
  const text = typeof message === "string" ? message : "an error without a message";
  return new NacreError(isKnown ? code : otherwise, foreign + text, {
    field: typeof field === "string" ? field : undefined,
    suggestion: typeof suggestion === "string" ? suggestion : undefined,
    details: typeof details === "object" && details !== null ? { ...details } : undefined,
  });
}

const fieldsOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null ? { ...value } : {};

export const isErrorCode = (code: unknown): code is ErrorCode =>
  typeof code === "string" && Object.hasOwn(ERRORS, code);
