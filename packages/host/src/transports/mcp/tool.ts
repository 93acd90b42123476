import { type OperationInput, type OperationName, type OperationOutput } from "@nacre/contracts";
import type { z } from "zod";
import { checkArguments } from "./check-arguments.ts";
import type { OperationCaller } from "./operation-caller.ts";

/** For clients that ask people first. */
export interface ToolHints {
  readonly readOnlyHint: boolean;
  readonly destructiveHint: boolean;
  readonly idempotentHint: boolean;
  /** Programs may reach beyond this machine. */
  readonly openWorldHint: boolean;
}

export interface ToolCall {
  /** Until the tool's signal or this one is aborted. */
  ask<Name extends OperationName>(
    name: Name,
    input: OperationInput<Name>,
    signal?: AbortSignal,
  ): Promise<OperationOutput<Name>>;
  /** Aborted when nobody waits for the tool any more. */
  readonly signal: AbortSignal;
}

interface ToolDefinition<Input extends z.ZodType, Output extends z.ZodType> {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly input: Input;
  readonly output: Output;
  readonly hints: ToolHints;
  readonly run: (input: z.output<Input>, call: ToolCall) => Promise<z.output<Output>>;
}

export interface Tool extends Omit<ToolDefinition<z.ZodType, z.ZodType>, "run"> {
  /** Changes nothing when it throws. */
  use(given: unknown, call: ToolCall): Promise<object>;
}

/** Makes a tool whose input is checked before it runs. */
export function defineTool<Input extends z.ZodObject, Output extends z.ZodObject>({
  run,
  ...facts
}: ToolDefinition<Input, Output>): Tool {
  return { ...facts, use: async (given, call) => run(checkArguments(facts.input, given), call) };
}

export const createToolCall = (caller: OperationCaller, signal: AbortSignal): ToolCall => ({
  signal,
  ask: (name, input, until) =>
    caller.call(name, input, { signal: until ? AbortSignal.any([signal, until]) : signal }),
});

export const READ_ONLY_HINTS: ToolHints = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
};

/** Cannot harm anything outside the terminal. */
export const CHANGE_HINTS: ToolHints = {
  readOnlyHint: false,
  destructiveHint: false,
  idempotentHint: false,
  openWorldHint: false,
};

/** Programs may do anything. */
export const RUN_HINTS: ToolHints = { ...CHANGE_HINTS, destructiveHint: true, openWorldHint: true };
