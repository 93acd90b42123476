import type { KnownDifference, Moment } from "./known-difference.ts";
import { ESC, isPending, named, toPlace } from "./moment.ts";

const PLAIN_CHARSETS = `${ESC}(B${ESC})B\u000f`;

const restores = (moment: Moment): boolean => named(moment, "DECRC", "SCORC");

/** Differences in what is saved and comes back. */
export const KNOWN_OF_SAVED_CURSOR: readonly KnownDifference[] = [
  {
    name: "the alternate screen in colour",
    why: "ours is erased in the present colour, as xterm does for 1049; tmux without colour",
    right: "ours",
    rewrite: ({ step, bytes, before }) =>
      step.name === "alternate" && bytes.endsWith("h") && !before.alternate
        ? { theirs: { last: `${ESC}[2J` } }
        : undefined,
  },
  {
    name: "a reset on the alternate screen",
    why: "ours goes back to the normal screen, as xterm; tmux stays",
    right: "ours",
    rewrite: ({ step, before }) =>
      step.name === "RIS" && before.alternate ? { theirs: { first: `${ESC}[?1049l` } } : undefined,
  },
  {
    name: "a reset with the cursor hidden",
    why: "tmux shows it again, as xterm; ours does not",
    right: "tmux",
    rewrite: ({ step }) => (step.name === "RIS" ? { ours: { last: `${ESC}[?25h` } } : undefined),
  },
  {
    name: "origin mode that comes back with the cursor",
    why: "tmux saves the mode, as xterm and the VT100; ours does not",
    right: "tmux",
    rewrite: (moment) =>
      restores(moment)
        ? { theirs: { last: (after) => `${ESC}[?6${after.origin ? "h" : "l"}${toPlace(after)}` } }
        : undefined,
  },
  {
    name: "cursors saved by different means",
    why: "ours keeps one for each screen, which 1049 uses too, as xterm; tmux has one for both, and another one for 1049",
    right: "ours",
    rewrite: (moment) =>
      restores(moment) || named(moment, "alternate")
        ? { theirs: { last: (after) => (isPending(after) ? "" : toPlace(after)) + after.pen } }
        : undefined,
  },
  {
    name: "a cursor that was saved before the screen scrolled",
    why: "tmux brings it back to its row of the screen, as xterm; ours to the text it stood on, as long as the scrollback grows",
    right: "tmux",
    rewrite: (moment) => (restores(moment) ? { theirs: { last: toPlace } } : undefined),
  },
  {
    name: "a cursor that was saved behind the last column",
    why: "ours brings it back to the last column; tmux behind it, as xterm",
    right: "tmux",
    rewrite: (moment) =>
      restores(moment)
        ? { theirs: { last: (after) => (after.column < after.cols - 1 ? "" : toPlace(after)) } }
        : undefined,
  },
  {
    name: "character sets that come back with the cursor",
    why: "tmux saves which sets there are and which is used, as xterm; ours only what the present one is",
    right: "tmux",
    rewrite: (moment) =>
      restores(moment) || named(moment, "alternate")
        ? { ours: { last: PLAIN_CHARSETS }, theirs: { last: PLAIN_CHARSETS } }
        : undefined,
  },
];
