import type { OperationInput, OperationName, OperationOutput } from "@nacre/contracts";

/** Does operations for one caller, in this process or over a wire: all that the tools need of a host. */
export interface OperationCaller {
  /** Does one operation; when the signal fires nobody waits any more, and work that began goes on. */
  call<Name extends OperationName>(
    name: Name,
    input: OperationInput<Name>,
    options: { readonly signal: AbortSignal },
  ): Promise<OperationOutput<Name>>;
}
