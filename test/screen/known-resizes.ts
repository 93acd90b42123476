import type { KnownDifference } from "./known-difference.ts";
import { toBoth } from "./moment.ts";

/** Differences in what another size does to the text. */
export const KNOWN_OF_RESIZES: readonly KnownDifference[] = [
  {
    name: "the line of the cursor in another width",
    why: "tmux wraps it anew as all others; ours cuts off what does not fit, because a shell draws its line again, and would draw it twice",
    right: "either",
    rewrite: ({ step }) => (step.name === "resize" ? toBoth({ first: "\r\n" }) : undefined),
  },
];

/** Met where the pictures differ, but all lines are there and the same, on the screen or above it. */
export const ROWS_ABOVE_THE_SCREEN: KnownDifference = {
  name: "rows that leave the screen at a resize",
  why: "a narrower tmux moves rows up even where there is room below; ours keeps them on the screen as long as there is",
  right: "either",
  rewrite: () => undefined,
};
