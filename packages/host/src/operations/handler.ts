import type { Caller, OperationInput, OperationName, OperationOutput } from "@nacre/contracts";

/** Who asks, once it may, and until when. */
interface HandlerContext {
  readonly caller: Caller;
  readonly signal?: AbortSignal | undefined;
  /** Is told that input reached the program, and whether nothing may be known of it. */
  readonly handleTyped: (isWithheld: boolean) => void;
}

/** Does what one operation says; its input is checked, and a terminal that it names is the caller's to see. */
export type Handler<Name extends OperationName> = (
  input: OperationInput<Name>,
  call: HandlerContext,
) => Promise<OperationOutput<Name>>;

/** One handler per operation named; each operation of the table has one. */
export type Handlers<Names extends OperationName = OperationName> = {
  readonly [Name in Names]: Handler<Name>;
};
