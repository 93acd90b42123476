import type { LostReason, Screen } from "@nacre/contracts";
import type { SocketMessage } from "../../socket/outlet.ts";
import type { AttachmentEntry } from "./attached-terminal.ts";

/** How a program ended, as far as it is known. */
export interface TerminalExit {
  readonly exitCode: number | null;
  readonly signal?: string | undefined;
  /** Why nobody saw it end. */
  readonly lostReason?: LostReason | undefined;
}

/** How one wire spells what a viewer is told. */
export interface FrameEncoder {
  /** Start from this: everything shown before is void. */
  snapshot(screen: Screen): readonly SocketMessage[];
  /** A burst of output, which ends with the entry of this sequence. */
  output(burst: readonly Uint8Array[], sequence: number): readonly SocketMessage[];
  /** Any other entry; what the wire has no word for is no frame. */
  entry(entry: AttachmentEntry): readonly SocketMessage[];
  /** The program ended and everything it wrote was told. */
  exit(ending: TerminalExit): readonly SocketMessage[];
}
