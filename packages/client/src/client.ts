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

/** Gives a command by itself an id before it is sent, by which it is found when its answer does not come. */
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

/** 128 bits in letters and digits; pages that came over plain HTTP have no `randomUUID`. */
const randomUid = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) =>
    byte.toString(16).padStart(2, "0"),
  ).join("");

/** A client over a wire: checks what goes out before it is sent, and what comes back before it is believed. */
export function createClient(send: Send): Client {
  const methods = Object.entries<Operation>(OPERATIONS).map(([key, operation]) => {
    // The keys of the table are the names of operations.
    const name = key as OperationName;
    const ask = name === "execCommand" ? execNamed(send) : send;
    const method = async (input: unknown, ...options: [CallOptions?]): Promise<unknown> =>
      readAnswer(operation.output, await ask(name, parse(operation.input, input), ...options));
    return [name, method] as const;
  });
  // Each method is checked by the schemas of its own name.
  return Object.fromEntries(methods) as Client;
}
