import type { z } from "zod";
import type { OperationTable } from "./operation.ts";
import { CREDENTIAL_OPERATIONS, HOST_OPERATIONS } from "./operations/credential.ts";
import { CLAIM_OPERATIONS, INPUT_OPERATIONS } from "./operations/input.ts";
import { RECORDING_OPERATIONS } from "./operations/recording.ts";
import { COMMAND_OPERATIONS, TERMINAL_OPERATIONS } from "./operations/terminal.ts";

export { COMMON_ERRORS, type HttpRoute, type Operation } from "./operation.ts";

/** Every operation; transports, client and reference are generated from this table. */
export const OPERATIONS = {
  ...TERMINAL_OPERATIONS,
  ...INPUT_OPERATIONS,
  ...COMMAND_OPERATIONS,
  ...RECORDING_OPERATIONS,
  ...CLAIM_OPERATIONS,
  ...HOST_OPERATIONS,
  ...CREDENTIAL_OPERATIONS,
} as const satisfies OperationTable;

export type OperationName = keyof typeof OPERATIONS;

export type OperationInput<Name extends OperationName> = z.infer<
  (typeof OPERATIONS)[Name]["input"]
>;

export type OperationOutput<Name extends OperationName> = z.infer<
  (typeof OPERATIONS)[Name]["output"]
>;

export function pathParametersOf(path: string): readonly string[] {
  return [...path.matchAll(/\{([A-Za-z]+)\}/g)].flatMap((match) => match[1] ?? []);
}

/** GET and DELETE have no body: what is not in the path is in the query. */
export const hasQuery = (method: string): boolean => method === "GET" || method === "DELETE";
