// Errors on their way from the keeper to the daemon.
import { type ErrorCode, ERRORS, NacreError } from "@nacre/contracts/plain";

/** An error as JSON. What is no NacreError is a fault of the keeper. */
export function encodeFailure(error: unknown): object {
  if (!(error instanceof NacreError)) {
    return { code: "internal", message: `the keeper failed: ${String(error)}` };
  }
  const { code, message, field, suggestion, details } = error;
  return { code, message, field, suggestion, details };
}

/** The error again; one that a newer keeper named by a code of its own is told as it is. */
export function decodeFailure(failure: Readonly<Record<string, unknown>>): NacreError {
  const { code, message, field, suggestion } = failure;
  const text = typeof message === "string" ? message : "the keeper failed";
  if (!isErrorCode(code)) return new NacreError("internal", `${String(code)}: ${text}`);
  return new NacreError(code, text, {
    ...(typeof field === "string" ? { field } : {}),
    ...(typeof suggestion === "string" ? { suggestion } : {}),
  });
}

const isErrorCode = (code: unknown): code is ErrorCode =>
  typeof code === "string" && Object.hasOwn(ERRORS, code);
