import type { KnownDifference, Moment } from "./known-difference.ts";
import {
  breaksLetter,
  countOf,
  ESC,
  isPending,
  lastLetter,
  named,
  toBoth,
  wraps,
} from "./moment.ts";

const ERASE_ROW = `${ESC}[2K`;

/** More is repeated by nobody. */
const MAX_REPEATED = 9999;

/** Differences in how letters are put into cells. */
export const KNOWN_OF_LETTERS: readonly KnownDifference[] = [
  {
    name: "a wide letter that does not fit into the row",
    why: "ours erases the column it leaves empty; tmux leaves there what was before",
    right: "either",
    rewrite: (moment) =>
      named(moment, "wide") && wraps(moment) && !isPending(moment.before)
        ? { theirs: { first: " " } }
        : undefined,
  },
  {
    name: "half of a wide letter",
    why: "ours shows a blank in place of a letter whose other half is gone, as xterm; tmux keeps the letter at times, so that the row has a column too many",
    right: "ours",
    rewrite: (moment) => {
      if (named(moment, "ICH", "DCH", "ECH", "EL", "ED")) {
        return moment.before.halves.size > 0 ? toBoth({ first: ERASE_ROW }) : undefined;
      }
      if (!breaksLetter(moment)) return undefined;
      return toBoth({ first: (wraps(moment) ? "\r\n" : "") + ERASE_ROW });
    },
  },
  {
    name: "a row that comes up by wrapping",
    why: "ours erases it in the present colour, as xterm does and tmux itself at a line feed; and insertion goes on in it",
    right: "ours",
    rewrite: (moment) =>
      wraps(moment) &&
      !breaksLetter(moment) &&
      (moment.before.insert ||
        (moment.before.hasGround && moment.before.row === moment.before.bottom))
        ? { theirs: { first: "\r\n" } }
        : undefined,
  },
  {
    name: "repeating beyond the end of the row",
    why: "ours does as if the letter had been written so often, as xterm; tmux stops at the end of the row",
    right: "ours",
    rewrite: (moment) => {
      if (!named(moment, "REP")) return undefined;
      return { theirs: { instead: repeated(moment) } };
    },
  },
  {
    name: "inserting more letters than follow",
    why: "tmux leaves a letter behind that xterm and ours push out",
    right: "ours",
    rewrite: ({ step, bytes, before }) =>
      step.name === "ICH"
        ? { theirs: { instead: `${ESC}[@`.repeat(Math.min(countOf(bytes), before.cols)) } }
        : undefined,
  },
  {
    name: "a mark without a letter",
    why: "tmux joins it to what stands before the cursor or drops it, as xterm; in ours it takes a column of its own unless the letter came just before",
    right: "tmux",
    rewrite: (moment) =>
      named(moment, "mark") && lastLetter(moment) === "" ? toBoth({ instead: "" }) : undefined,
  },
  {
    name: "a mark in the last column without autowrap",
    why: "ours joins it to the letter in the last column, as xterm; tmux to the one before",
    right: "ours",
    rewrite: (moment) =>
      named(moment, "mark") && !moment.before.autowrap && isPending(moment.before)
        ? toBoth({ instead: "" })
        : undefined,
  },
];

/** By rows, because those that come up by wrapping differ, too. */
function repeated(moment: Moment): string {
  const { column, cols, autowrap } = moment.before;
  const count = Math.min(countOf(moment.bytes), MAX_REPEATED);
  const letter = lastLetter(moment);
  if (!autowrap || letter === "") return letter.repeat(count);
  const width = moment.past.at(-1)?.name === "wide" ? 2 : 1;
  const rows: string[] = [];
  for (let left = count, start = column; left > 0; start = 0) {
    const fitting = Math.min(left, Math.floor((cols - start) / width));
    rows.push(letter.repeat(fitting));
    left -= fitting;
  }
  return rows.join("\r\n");
}
