import { type ErrorCode, ERRORS, type FileErrorClass, NacreError } from "@nacre/contracts";
import type { ControlName } from "./control-names.ts";
import type { OperationOutcome } from "./operation-context.ts";

/** A failure as control files tell it. */
export interface ControlAnswerError {
  /** The class that agents know. */
  readonly code: FileErrorClass;
  readonly message: string;
  /** The code of the errors table. */
  readonly reason: ErrorCode;
  readonly field?: string;
  readonly suggestion: string;
}

/** What became of one request. */
export interface ControlAnswer {
  readonly ok: boolean;
  readonly request_id: string;
  readonly operation: ControlName;
  readonly session_id: string | null;
  readonly result: OperationOutcome["result"] | null;
  readonly error: ControlAnswerError | null;
  readonly finished_at_ms: number;
}

/** Writes a failure down. */
export function encodeAnswerError(error: NacreError): ControlAnswerError {
  const { code, message, field, suggestion } = error;
  return {
    code: ERRORS[code].fileClass,
    message,
    reason: code,
    ...(field === undefined ? {} : { field }),
    suggestion,
  };
}

/** A failure that the agent can act on; anything else is a fault of ours, and only said to be one. */
export function toControlFailure(
  error: unknown,
  handleProblem: (error: unknown) => void,
): NacreError {
  if (error instanceof NacreError) return error;
  handleProblem(error);
  return new NacreError("internal", "something went wrong in the service");
}
