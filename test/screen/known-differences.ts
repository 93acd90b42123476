// What ours and tmux do differently; where one of the two is called right, xterm does the same.
import type { KnownDifference } from "./known-difference.ts";
import { KNOWN_OF_LAST_COLUMN } from "./known-last-column.ts";
import { KNOWN_OF_LETTERS } from "./known-letters.ts";
import { KNOWN_OF_MARGINS } from "./known-margins.ts";
import { KNOWN_OF_RESIZES } from "./known-resizes.ts";
import { KNOWN_OF_SAVED_CURSOR } from "./known-saved-cursor.ts";

/** The version of tmux that the table is about. */
export const KNOWN_TMUX = "tmux 3.3a";

/** Everything that takes a difference out of a case; what then still differs is not known. In the order in which they are applied. */
export const KNOWN_DIFFERENCES: readonly KnownDifference[] = [
  ...KNOWN_OF_LETTERS,
  ...KNOWN_OF_LAST_COLUMN,
  ...KNOWN_OF_MARGINS,
  ...KNOWN_OF_SAVED_CURSOR,
  ...KNOWN_OF_RESIZES,
];
