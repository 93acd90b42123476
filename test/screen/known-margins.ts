import type { KnownDifference } from "./known-difference.ts";
import { countOf, ESC, named, toPlace } from "./moment.ts";

const NO_MARGINS = `${ESC}[r`;

const NO_STOPS = `${ESC}[3g`;

/** Differences around margins, origin mode and scrolling. */
export const KNOWN_OF_MARGINS: readonly KnownDifference[] = [
  {
    name: "margins of zero",
    why: "0;0 stands for the whole screen in ours, as in xterm; tmux does nothing",
    right: "ours",
    rewrite: ({ bytes }) =>
      bytes === `${ESC}[0;0r` ? { theirs: { instead: NO_MARGINS } } : undefined,
  },
  {
    name: "margins in origin mode",
    why: "setting margins brings the cursor to the first row inside of them in ours, as in xterm; in tmux to that of the screen",
    right: "ours",
    rewrite: ({ step, before }) =>
      step.name === "DECSTBM" && before.origin ? { theirs: { last: toPlace } } : undefined,
  },
  {
    name: "inserted and deleted lines outside of the margins",
    why: "ours does nothing there, as xterm and the VT220; tmux takes the rest of the screen for inside",
    right: "ours",
    rewrite: (moment) =>
      named(moment, "IL", "DL") &&
      (moment.before.row < moment.before.top || moment.before.row > moment.before.bottom)
        ? { theirs: { instead: "" } }
        : undefined,
  },
  {
    name: "scrolling down in colour",
    why: "tmux erases the rows that come in with the present colour, as xterm; ours without",
    right: "tmux",
    rewrite: ({ step, bytes, before }) => {
      if (step.name !== "SD") return undefined;
      const lines = Math.min(countOf(bytes), before.bottom - before.top + 1);
      const top = toPlace({ ...before, row: before.top });
      return {
        ours: { instead: top + `${ESC}M`.repeat(lines) + toPlace(before) },
        theirs: { last: toPlace(before) },
      };
    },
  },
  {
    name: "the alignment pattern",
    why: "tmux draws it plain and takes the margins away, as xterm; ours draws with the pen and leaves the margins",
    right: "tmux",
    rewrite: ({ step, before }) =>
      step.name === "DECALN"
        ? { ours: { first: `${ESC}[m${NO_MARGINS}`, last: before.pen } }
        : undefined,
  },
  {
    name: "motion in origin mode",
    why: "motion by a number of rows or columns starts where the cursor is in tmux, as in xterm; ours adds the upper margin to the row",
    right: "tmux",
    rewrite: (moment) =>
      named(moment, "CUU", "CUD", "CUF", "CUB", "CNL", "CPL", "CHA", "HPA", "HPR", "VPR") &&
      moment.before.origin
        ? { theirs: { last: toPlace } }
        : undefined,
  },
  {
    name: "tab stops and the alternate screen",
    why: "tmux has the same stops on both screens, as xterm; ours has others on each",
    right: "tmux",
    rewrite: (moment) =>
      named(moment, "alternate") && moment.past.some(({ name }) => name === "TBC" || name === "HTS")
        ? { ours: { last: NO_STOPS }, theirs: { last: NO_STOPS } }
        : undefined,
  },
  {
    name: "margins and the alternate screen",
    why: "tmux has the same margins on both screens, as xterm; ours has others on each",
    right: "tmux",
    rewrite: (moment) =>
      named(moment, "alternate") && moment.past.some(({ name }) => name === "DECSTBM")
        ? {
            ours: { last: (after) => NO_MARGINS + toPlace({ ...after, top: 0 }) },
            theirs: { last: (after) => NO_MARGINS + toPlace({ ...after, top: 0 }) },
          }
        : undefined,
  },
];
