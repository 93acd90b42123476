import type { Caller } from "../claim/caller.ts";

/** How something is typed. */
export interface TypeOptions {
  readonly by: Caller;
  /** Nobody else may see it: its bytes are not recorded. */
  readonly sensitive?: boolean | undefined;
  /** The claim that the caller believes in; `conflict` when there is a newer one. */
  readonly epoch?: number | undefined;
}
