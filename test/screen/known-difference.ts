import type { Step } from "./step.ts";

/** How our screen stood before or behind a step. */
export interface Situation {
  readonly cols: number;
  readonly rows: number;
  /** Equal to `cols` when the next letter begins a new row. */
  readonly column: number;
  readonly row: number;
  readonly top: number;
  readonly bottom: number;
  readonly alternate: boolean;
  readonly origin: boolean;
  readonly autowrap: boolean;
  readonly insert: boolean;
  /** What sets the pen to what it is. */
  readonly pen: string;
  readonly hasGround: boolean;
  /** Columns of this row with the second half of a wide letter. */
  readonly halves: ReadonlySet<number>;
  /** The same of the row where text goes on. */
  readonly nextHalves: ReadonlySet<number>;
}

/** A step as it was, and what was known when it came. */
export interface Moment {
  readonly step: Step;
  readonly bytes: string;
  readonly before: Situation;
  /** The steps before it, as they were. */
  readonly past: readonly Step[];
}

/** What is written beside a step, or in its place. */
export interface Edit {
  readonly first?: string;
  readonly instead?: string;
  /** May depend on how our screen stands behind the step. */
  readonly last?: string | ((after: Situation) => string);
}

/** What the two are given so that a step means the same to both; what is absent stays as it was. */
export interface Rewriting {
  readonly ours?: Edit;
  readonly theirs?: Edit | ((after: Situation) => Edit);
}

/** Something that the two are known to do differently. */
export interface KnownDifference {
  readonly name: string;
  /** What each does, and what says which is right. */
  readonly why: string;
  /** Who does as xterm does, and as the standard says where there is one. */
  readonly right: "ours" | "tmux" | "either";
  /** What takes the difference out of a step; nothing where it does not apply. */
  rewrite(moment: Moment): Rewriting | undefined;
}
