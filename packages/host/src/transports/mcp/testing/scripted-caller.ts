import { NacreError, type OperationName } from "@nacre/contracts";
import type { OperationCaller } from "../operation-caller.ts";
import { type ToolCall, createToolCall } from "../tool.ts";

/** Answers one operation. */
export type Script = (input: never, signal: AbortSignal) => unknown;

/** A caller that answers from a script, and what it was asked. */
export class ScriptedCaller implements OperationCaller {
  readonly asked: (readonly [name: OperationName, input: unknown])[] = [];
  readonly #scripts: Readonly<Partial<Record<OperationName, Script>>>;
  readonly #gone = new AbortController();

  constructor(scripts: Readonly<Partial<Record<OperationName, Script>>>) {
    this.#scripts = scripts;
  }

  /** One use of a tool over this caller. */
  get use(): ToolCall {
    return createToolCall(this, this.#gone.signal);
  }

  /** Nobody waits for the tool any more. */
  leave(): void {
    this.#gone.abort();
  }

  async call<Name extends OperationName>(
    name: Name,
    input: unknown,
    { signal }: { readonly signal: AbortSignal },
  ): Promise<never> {
    this.asked.push([name, input]);
    const script = this.#scripts[name];
    if (!script) throw new NacreError("unsupported", `${name} is not in the script`);
    // A script knows what it is asked and what is expected of it.
    return (await script(input as never, signal)) as never;
  }
}

/** Never answers; gives up when nobody waits any more. */
export const silence: Script = (_input, signal) =>
  new Promise((_resolve, reject) => {
    const leave = (): void => reject(new NacreError("unavailable", "nobody waits any more"));
    if (signal.aborted) leave();
    signal.addEventListener("abort", leave);
  });
