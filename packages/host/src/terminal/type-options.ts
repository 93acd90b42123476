import type { Caller, TerminalSendInputData } from "@nacre/contracts";

/** Is told that input reached the program, and whether nothing of it may be recorded. */
export type TypedCallback = (isWithheld: boolean) => void;

/** How something is typed. */
export interface TypeOptions {
  readonly by: Caller;
  /** Nobody else may see it: its bytes are not recorded, and it is refused where the terminal would show them. */
  readonly sensitive?: boolean | undefined;
  /** A program has to ask for it: refused where none is known to read a secret. */
  readonly hidden?: boolean | undefined;
  /** Who asked for it: where one of both may type, it may be typed, but only while a program reads it and no shell would run it. */
  readonly askedBy?: Caller | undefined;
  /** What a program has to read now; a secret is then also `sensitive` and `hidden`. */
  readonly expects?: TerminalSendInputData["expects"];
  /** The claim that the caller believes in; `conflict` when there is a newer one. */
  readonly epoch?: number | undefined;
  readonly handleTyped?: TypedCallback | undefined;
}
