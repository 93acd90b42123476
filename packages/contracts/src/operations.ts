import type { z } from "zod";
import type { OperationTable } from "./operation.ts";
import { CREDENTIAL_OPERATIONS, HOST_OPERATIONS } from "./operations/credential.ts";
import { CLAIM_OPERATIONS, INPUT_OPERATIONS } from "./operations/input.ts";
import { RECORDING_OPERATIONS } from "./operations/recording.ts";
import { COMMAND_OPERATIONS, TERMINAL_OPERATIONS } from "./operations/terminal.ts";

export { COMMON_ERRORS, type HttpRoute, type Operation } from "./operation.ts";

/** THE TABLE: every request there is; transports, the client and the reference are made from it. */
export const OPERATIONS = {
  ...TERMINAL_OPERATIONS,
  ...INPUT_OPERATIONS,
  ...COMMAND_OPERATIONS,
  ...RECORDING_OPERATIONS,
  ...CLAIM_OPERATIONS,
  ...HOST_OPERATIONS,
  ...CREDENTIAL_OPERATIONS,
} as const satisfies OperationTable;

/** Names an operation. */
export type OperationName = keyof typeof OPERATIONS;

/** What a named operation takes. */
export type OperationInput<Name extends OperationName> = z.infer<
  (typeof OPERATIONS)[Name]["input"]
>;

/** What a named operation answers. */
export type OperationOutput<Name extends OperationName> = z.infer<
  (typeof OPERATIONS)[Name]["output"]
>;

/** The names in braces in the path of a route, in order. */
export function pathParametersOf(path: string): readonly string[] {
  return [...path.matchAll(/\{([A-Za-z]+)\}/g)].flatMap((match) => match[1] ?? []);
}

/** Whether everything that is not in the path of a request comes in its query, for want of a body. */
export const hasQuery = (method: string): boolean => method === "GET" || method === "DELETE";
