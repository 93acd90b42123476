import type { LostReason, Screen } from "@nacre/contracts";
import type { Frame } from "../../socket/outlet.ts";
import type { FeedEntry } from "./attached-terminal.ts";

/** How a program ended, as far as it is known. */
export interface Ending {
  readonly exitCode: number | null;
  readonly signal?: string | undefined;
  /** Why nobody saw it end. */
  readonly lostReason?: LostReason | undefined;
}

/** How one wire spells what a viewer is told. */
export interface Wire {
  /** Start from this: everything shown before is void. */
  snapshot(screen: Screen): readonly Frame[];
  /** A burst of output, which ends with the entry of this sequence. */
  output(burst: readonly Uint8Array[], sequence: number): readonly Frame[];
  /** Any other entry; what the wire has no word for is no frame. */
  entry(entry: FeedEntry): readonly Frame[];
  /** The program ended and everything it wrote was told. */
  ending(ending: Ending): readonly Frame[];
}
