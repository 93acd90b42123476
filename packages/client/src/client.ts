import {
  type OperationInput,
  type OperationName,
  type OperationOutput,
  OPERATIONS,
  parse,
} from "@nacre/contracts";
import type { z } from "zod";
import { readAnswer } from "./answer.ts";

/** Carries one request to a host and brings back its answer, over whatever wire. */
export type Send = (operation: OperationName, input: unknown) => Promise<unknown>;

/** One method per operation of the table. */
export type Client = {
  readonly [Name in OperationName]: (input: OperationInput<Name>) => Promise<OperationOutput<Name>>;
};

/** A client over a wire: checks what goes out before it is sent, and what comes back before it is believed. */
export function createClient(send: Send): Client {
  const { createTerminal, readTerminal, sendInput, findRecordingEntries } = OPERATIONS;
  return {
    createTerminal: call(createTerminal, (input) => send("createTerminal", input)),
    readTerminal: call(readTerminal, (input) => send("readTerminal", input)),
    sendInput: call(sendInput, (input) => send("sendInput", input)),
    findRecordingEntries: call(findRecordingEntries, (input) =>
      send("findRecordingEntries", input),
    ),
  };
}

function call<Input extends z.ZodType, Output extends z.ZodType>(
  operation: { readonly input: Input; readonly output: Output },
  send: (input: z.output<Input>) => Promise<unknown>,
) {
  return async (input: z.output<Input>): Promise<z.output<Output>> =>
    readAnswer(operation.output, await send(parse(operation.input, input)));
}
