// What the table of known differences asks about a moment, and how it spells places.
import type { Moment, Rewriting, Situation } from "./known-difference.ts";
import { isTextName } from "./step.ts";

/** What begins an escape sequence. */
export const ESC = "\u001b";

/** Whether the step is one of these. */
export const named = ({ step }: Moment, ...names: readonly string[]): boolean =>
  names.includes(step.name);

/** Whether the row is full and the next letter begins another. */
export const isPending = ({ column, cols }: Situation): boolean => column >= cols;

/** Goes to a column of the same row. */
export const toColumn = (column: number): string => `${ESC}[${column + 1}G`;

/** Goes where somebody stands, also when rows are counted from the upper margin. */
export const toPlace = ({ row, column, top, origin }: Situation): string =>
  `${ESC}[${(origin ? row - top : row) + 1};${column + 1}H`;

/** The number of a control sequence, or the one it has when it is left out. */
export const countOf = (bytes: string): number => Math.max(1, Number(/\d+/.exec(bytes)?.[0] ?? 1));

/** Both are given the same. */
export const toBoth = (edit: { first?: string; instead?: string }): Rewriting => ({
  ours: edit,
  theirs: edit,
});

const widthOf = ({ step }: Moment): number => (step.name === "wide" ? 2 : 1);

/** Whether it is a letter that does not fit into the rest of the row. */
export const wraps = (moment: Moment): boolean =>
  isTextName(moment.step.name) &&
  moment.before.autowrap &&
  moment.before.column + widthOf(moment) > moment.before.cols;

/** Whether it is a letter that takes one half of a wide letter away. */
export function breaksLetter(moment: Moment): boolean {
  const { column, cols, halves, nextHalves } = moment.before;
  if (!isTextName(moment.step.name)) return false;
  if (wraps(moment)) return nextHalves.has(widthOf(moment));
  const at = Math.min(column, cols - 1);
  return halves.has(at) || halves.has(at + widthOf(moment));
}

/** The letter that was written last, with its marks; nothing when something else came behind it. */
export function lastLetter({ past }: Moment): string {
  const at = past.findLastIndex(({ name }) => name !== "mark");
  const letter = past[at];
  if (!letter || !isTextName(letter.name)) return "";
  return past
    .slice(at)
    .map(({ bytes = "" }) => bytes)
    .join("");
}
