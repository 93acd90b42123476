import type { KnownDifference } from "./known-difference.ts";
import { isPending, toBoth, toColumn, toPlace } from "./moment.ts";
import { isActingName } from "./step.ts";

/** Differences at the ends of a row. */
export const KNOWN_OF_LAST_COLUMN: readonly KnownDifference[] = [
  {
    name: "behind the last column",
    why: "whatever is not text acts from the last column in ours, as in xterm and the VT100; in tmux from the column behind it",
    right: "ours",
    rewrite: ({ step, before }) =>
      isActingName(step.name) && isPending(before)
        ? { theirs: (after) => (isPending(after) ? {} : { first: toColumn(before.cols - 1) }) }
        : undefined,
  },
  {
    name: "backward tabulation behind the last column",
    why: "ours does nothing; tmux goes to the stop before, as xterm",
    right: "tmux",
    rewrite: ({ step, before }) =>
      step.name === "CBT" && isPending(before)
        ? { ours: { first: toColumn(before.cols - 1) } }
        : undefined,
  },
  {
    name: "the last column without autowrap",
    why: "ours erases behind it, and remembers that the row is full when autowrap is switched; tmux stands in the last column, as xterm shows it",
    right: "tmux",
    rewrite: ({ step, before }) => {
      const first = toColumn(before.cols - 1);
      if (!isPending(before)) return undefined;
      if (step.name === "DECAWM") return toBoth({ first });
      return isActingName(step.name) && !before.autowrap ? { ours: { first } } : undefined;
    },
  },
  {
    name: "the last column where the screen changes",
    why: "tmux then forgets that the row is full, ours does not",
    right: "either",
    rewrite: ({ step, before }) =>
      step.name === "alternate" && isPending(before)
        ? toBoth({ first: toColumn(before.cols - 1) })
        : undefined,
  },
  {
    name: "backspace in the first column",
    why: "tmux goes back to the row above when that was wrapped; xterm does so only in a mode that is off unless a program asks for it",
    right: "ours",
    rewrite: ({ step, before }) =>
      step.name === "BS" && before.column === 0 ? { theirs: { instead: "" } } : undefined,
  },
  {
    name: "the column behind inserted and deleted lines",
    why: "ours goes to the first column, as xterm and the VT220; tmux stays where it is",
    right: "ours",
    rewrite: ({ step }) =>
      step.name === "IL" || step.name === "DL"
        ? { theirs: { last: (after) => toColumn(after.column) } }
        : undefined,
  },
  {
    name: "motion that tmux does not know",
    why: "CHT, HPR and VPR are in the standard and in xterm",
    right: "ours",
    rewrite: ({ step }) =>
      ["CHT", "HPR", "VPR"].includes(step.name)
        ? { theirs: { instead: "", last: (after) => (isPending(after) ? "" : toPlace(after)) } }
        : undefined,
  },
];
