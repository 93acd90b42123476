import { type ErrorCode, ERRORS } from "./error.ts";

export { type ErrorCode, ERRORS, type ErrorSpelling } from "./error.ts";

/** What may accompany a NacreError. */
export interface NacreErrorOptions {
  readonly cause?: unknown;
  /** The path of the offending value in the request, such as `size.cols`. */
  readonly field?: string;
  /** What the caller can do next, where the table's general advice does not fit. */
  readonly suggestion?: string;
  /** What else programs may want to know, as plain JSON. */
  readonly details?: Readonly<Record<string, unknown>>;
}

/** A failure the caller can act on; anything else thrown is a bug. */
export class NacreError extends Error {
  override readonly name = "NacreError";
  readonly code: ErrorCode;
  readonly field: string | undefined;
  /** What the caller can do next, in words. */
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
