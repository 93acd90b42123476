import type { Caller } from "@nacre/contracts";

/** Is told that input reached the program, and whether nothing of it may be recorded. */
export type HandleTyped = (isWithheld: boolean) => void;

/** How something is typed. */
export interface TypeOptions {
  readonly by: Caller;
  /** Nobody else may see it: its bytes are not recorded. */
  readonly sensitive?: boolean | undefined;
  /** It must not be shown either: refused while the terminal shows what is typed. */
  readonly hidden?: boolean | undefined;
  /** Who asked for it: where one of both may type, it may be typed. */
  readonly askedBy?: Caller | undefined;
  /** The claim that the caller believes in; `conflict` when there is a newer one. */
  readonly epoch?: number | undefined;
  readonly handleTyped?: HandleTyped | undefined;
}
