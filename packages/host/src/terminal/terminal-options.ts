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
  /** When whoever runs a command by itself ends it, in Unix ms; the host that goes on with its terminal does it then. */
  readonly endAt?: number | undefined;
  /** Whether what such a command leaves in the background goes on when it ends. */
  readonly keepBackground?: boolean | undefined;
}
