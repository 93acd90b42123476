import {
  type Operation,
  type OperationInput,
  type OperationName,
  type OperationOutput,
  OPERATIONS,
  parse,
} from "@nacre/contracts";
import { readAnswer } from "./answer.ts";

/** How long somebody waits for an answer. */
export interface CallOptions {
  /** Ends the wait; what was asked for may go on. */
  readonly signal?: AbortSignal | undefined;
}

/** Carries one request to a host and brings back its answer, over whatever wire. */
export type Send = (
  operation: OperationName,
  input: unknown,
  options?: CallOptions,
) => Promise<unknown>;

/** One method per operation of the table. */
export type Client = {
  readonly [Name in OperationName]: (
    input: OperationInput<Name>,
    options?: CallOptions,
  ) => Promise<OperationOutput<Name>>;
};

/** A client over a wire: checks what goes out before it is sent, and what comes back before it is believed. */
export function createClient(send: Send): Client {
  const methods = Object.entries<Operation>(OPERATIONS).map(([key, operation]) => {
    // The keys of the table are the names of operations.
    const name = key as OperationName;
    const method = async (input: unknown, ...options: [CallOptions?]): Promise<unknown> =>
      readAnswer(operation.output, await send(name, parse(operation.input, input), ...options));
    return [name, method] as const;
  });
  // Each method is checked by the schemas of its own name.
  return Object.fromEntries(methods) as Client;
}
