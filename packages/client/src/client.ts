import {
  type Operation,
  type OperationInput,
  type OperationName,
  type OperationOutput,
  OPERATIONS,
  parse,
} from "@nacre/contracts";
import { execInDoubt, isInDoubt } from "./exec-in-doubt.ts";
import { readAnswer } from "./failure.ts";

export interface CallOptions {
  /** Ends the wait; the operation may continue. */
  readonly signal?: AbortSignal | undefined;
}

/** Carries one request and its answer over some wire. */
export type Send = (
  operation: OperationName,
  input: unknown,
  options?: CallOptions,
) => Promise<unknown>;

/** One method per operation. */
export type Client = {
  readonly [Name in OperationName]: (
    input: OperationInput<Name>,
    options?: CallOptions,
  ) => Promise<OperationOutput<Name>>;
};

/** Assigns an id before sending, by which the command is found when its answer is lost. */
const execNamed =
  (send: Send): Send =>
  async (name, input, ...options) => {
    const named = { id: `terminal:${randomUid()}`, ...Object(input) } as { readonly id: string };
    try {
      return await send(name, named, ...options);
    } catch (error) {
      throw isInDoubt(error) ? execInDoubt(named.id, error) : error;
    }
  };

/** 128 bits; pages over plain HTTP have no `randomUUID`. */
const randomUid = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) =>
    byte.toString(16).padStart(2, "0"),
  ).join("");

/** Validates input before sending and output before returning it. */
export function createClient(send: Send): Client {
  const methods = Object.entries<Operation>(OPERATIONS).map(([key, operation]) => {
    // The table's keys are operation names.
    const name = key as OperationName;
    const ask = name === "execCommand" ? execNamed(send) : send;
    const method = async (input: unknown, ...options: [CallOptions?]): Promise<unknown> =>
      readAnswer(operation.output, await ask(name, parse(operation.input, input), ...options));
    return [name, method] as const;
  });
  // Each method validates by the schemas of its own name.
  return Object.fromEntries(methods) as Client;
}
