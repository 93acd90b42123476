import type { Caller } from "@nacre/contracts";

/** Is told that input reached the program, and whether nothing of it may be recorded. */
export type HandleTyped = (isWithheld: boolean) => void;

/** How something is typed. */
export interface TypeOptions {
  readonly by: Caller;
  /** Nobody else may see it: its bytes are not recorded. */
  readonly sensitive?: boolean | undefined;
  /** The claim that the caller believes in; `conflict` when there is a newer one. */
  readonly epoch?: number | undefined;
  readonly handleTyped?: HandleTyped | undefined;
}
