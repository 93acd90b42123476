import type { ExecMode, InputPolicy } from "@nacre/contracts";

/** How a Terminal is driven and ended. */
export interface TerminalOptions {
  /** Who may type; `open` when absent. */
  readonly inputPolicy?: InputPolicy | undefined;
  /** Believe shell-integration markers that anybody could have printed. */
  readonly trustForeignMarkers?: boolean | undefined;
  /** What becomes of the terminal when its owner is gone; `kill` when absent. */
  readonly whenOwnerEnds?: "kill" | "keep" | undefined;
  /** Whether the program gets a terminal; `pty` when absent. */
  readonly mode?: ExecMode | undefined;
  /** When its program is ended at the latest, in Unix ms; whoever goes on with it has to know. */
  readonly endAt?: number | undefined;
}
