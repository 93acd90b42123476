/** What must come about in some runs, or the simulation would show nothing. */
export const SOMETIMES = [
  "adoptedAfterKill",
  "adoptedUnrecorded",
  "canonicalLimit",
  "claimMoved",
  "claimVanished",
  "clockJumped",
  "commandRecorded",
  "commitFailedAfterwards",
  "commitFailedBefore",
  "degraded",
  "epochRefused",
  "exitWhileAway",
  "feedResumed",
  "feedSkipped",
  "forcedKill",
  "foundText",
  "gapRecorded",
  "halfOpen",
  "hiddenFromReadOnly",
  "inputRefused",
  "lostTerminal",
  "partialRead",
  "powerCutLost",
  "powerCutKept",
  "purged",
  "recorderRestarted",
  "screenThreadLost",
  "secretTyped",
  "strictWaited",
  "stuckInput",
  "undrainedExit",
] as const;

/** One of them. */
export type Sometimes = (typeof SOMETIMES)[number];

/** What was broken, in a run that can be repeated. */
export class Violation extends Error {
  readonly invariant: string;

  constructor(invariant: string, detail: string) {
    super(`${invariant}: ${detail}`);
    this.invariant = invariant;
  }
}

/** What a run has to hold, and what it came across. */
export class Checks {
  readonly reached = new Set<Sometimes>();
  /** The first thing that was broken; what follows from it says nothing. */
  violation: Violation | undefined;

  /** Must be true whenever it is asked. */
  always(invariant: string, isTrue: boolean, detail: () => string): void {
    if (!isTrue) this.violation ??= new Violation(invariant, detail());
  }

  /** Has to be true once in all runs together. */
  sometimes(id: Sometimes, isTrue = true): void {
    if (isTrue) this.reached.add(id);
  }
}
