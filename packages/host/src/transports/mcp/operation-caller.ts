import type { OperationInput, OperationName, OperationOutput } from "@nacre/contracts";

/** All that the tools need of a host, in this process or over a wire. */
export interface OperationCaller {
  /** After an abort nobody waits, and started work continues. */
  call<Name extends OperationName>(
    name: Name,
    input: OperationInput<Name>,
    options: { readonly signal: AbortSignal },
  ): Promise<OperationOutput<Name>>;
}
