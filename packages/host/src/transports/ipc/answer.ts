import type { EntityEventEnvelope, NacreError } from "@nacre/contracts";
import { z } from "zod";
import type { IpcRequestId } from "./request.ts";

/** Enough to correct a request by; more would only repeat itself. */
const MAX_VALIDATION_ERRORS = 16;

/** One value of a request that is not as it should be. */
interface ValidationError {
  readonly path: string;
  readonly message: string;
}

/** A failure as this wire tells it. */
export interface IpcError {
  readonly code: string;
  readonly message: string;
  readonly field?: string;
  readonly suggestion: string;
  readonly details?: Readonly<Record<string, unknown>>;
  readonly validationErrors?: readonly ValidationError[];
}

/** One line that the host sends. */
export type IpcMessage =
  | {
      readonly type: "response";
      readonly id: IpcRequestId | null;
      readonly ok: true;
      readonly result: unknown;
    }
  | {
      readonly type: "response";
      readonly id: IpcRequestId | null;
      readonly ok: false;
      readonly error: IpcError;
    }
  | { readonly type: "event"; readonly event: EntityEventEnvelope }
  | { readonly type: "resync"; readonly reason?: string | undefined };

/** Writes a failure down; clients of this wire know what is not offered as `NOT_IMPLEMENTED`. */
export function encodeIpcError(error: NacreError): IpcError {
  const { code, message, field, suggestion, details, cause } = error;
  return {
    code: code === "unsupported" ? "NOT_IMPLEMENTED" : code,
    message,
    ...(field === undefined ? {} : { field }),
    suggestion,
    ...(details === undefined ? {} : { details }),
    ...(cause instanceof z.ZodError ? { validationErrors: listValidationErrors(cause) } : {}),
  };
}

const listValidationErrors = ({ issues }: z.ZodError): readonly ValidationError[] =>
  issues
    .slice(0, MAX_VALIDATION_ERRORS)
    .map(({ path, message }) => ({ path: path.map(String).join("."), message }));
