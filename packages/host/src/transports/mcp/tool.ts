import { type OperationInput, type OperationName, type OperationOutput } from "@nacre/contracts";
import type { z } from "zod";
import { checkArguments } from "./check-arguments.ts";
import type { OperationCaller } from "./operation-caller.ts";

/** What a tool does to the world, for clients that ask people first. */
export interface ToolHints {
  readonly readOnlyHint: boolean;
  readonly destructiveHint: boolean;
  readonly idempotentHint: boolean;
  /** Whether it reaches beyond this machine: what programs do is not known. */
  readonly openWorldHint: boolean;
}

/** One use of a tool. */
export interface ToolCall {
  /** Does an operation; it is waited for until the tool is not, or until this signal fires. */
  ask<Name extends OperationName>(
    name: Name,
    input: OperationInput<Name>,
    signal?: AbortSignal,
  ): Promise<OperationOutput<Name>>;
  /** Fires when nobody waits for the tool any more. */
  readonly signal: AbortSignal;
}

/** What there is to know of a tool, and what it does. */
interface ToolDefinition<Input extends z.ZodType, Output extends z.ZodType> {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly input: Input;
  readonly output: Output;
  readonly hints: ToolHints;
  readonly run: (input: z.output<Input>, call: ToolCall) => Promise<z.output<Output>>;
}

/** A tool that models can use. */
export interface Tool extends Omit<ToolDefinition<z.ZodType, z.ZodType>, "run"> {
  /** Checks what a model sent and does it, or throws and changes nothing. */
  use(given: unknown, call: ToolCall): Promise<object>;
}

/** Makes a tool whose input is checked before it runs. */
export function defineTool<Input extends z.ZodObject, Output extends z.ZodObject>({
  run,
  ...facts
}: ToolDefinition<Input, Output>): Tool {
  return { ...facts, use: async (given, call) => run(checkArguments(facts.input, given), call) };
}

/** One use of a tool over a caller. */
export const createToolCall = (caller: OperationCaller, signal: AbortSignal): ToolCall => ({
  signal,
  ask: (name, input, until) =>
    caller.call(name, input, { signal: until ? AbortSignal.any([signal, until]) : signal }),
});

/** Looks and changes nothing. */
export const READ_ONLY_HINTS: ToolHints = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
};

/** Changes something of a terminal, and can do no harm to what is outside of it. */
export const CHANGE_HINTS: ToolHints = {
  readOnlyHint: false,
  destructiveHint: false,
  idempotentHint: false,
  openWorldHint: false,
};

/** Lets programs do whatever they do. */
export const RUN_HINTS: ToolHints = { ...CHANGE_HINTS, destructiveHint: true, openWorldHint: true };
