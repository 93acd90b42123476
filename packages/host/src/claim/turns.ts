import { type Caller, type ClaimReason, NacreError } from "@nacre/contracts";

/** More changes of one claim than these do not wait at the same time: all but one would be refused. */
export const MAX_WAITING_CHANGES = 64;

/** A place in the row of those who want to change a claim. */
export interface ClaimTurn {
  /** Absent when the host itself changes it. */
  readonly by?: Caller;
  /** Why the claim was changed by somebody else since this caller asked; a takeover outweighs the rest. */
  overtakenBy?: ClaimReason;
}

/** Lets callers change a claim one after the other, in the order they came. */
export class ClaimQueue implements Disposable {
  readonly #waiting = new Set<ClaimTurn>();
  #last: Promise<unknown> = Promise.resolve();
  #isClosed = false;

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Runs when everybody before is done; only an operator or the host itself is let in when many wait. */
  async run<Result>(
    by: Caller | undefined,
    change: (turn: ClaimTurn) => Promise<Result>,
  ): Promise<Result> {
    this.checkOpen();
    const mayAlwaysWait = by === undefined || by.scope === "operator";
    if (!mayAlwaysWait && this.#waiting.size >= MAX_WAITING_CHANGES) {
      throw new NacreError("limit_reached", `${this.#waiting.size} changes of this claim wait`, {
        suggestion: "Wait until the present ones are done.",
      });
    }
    const turn: ClaimTurn = by === undefined ? {} : { by };
    this.#waiting.add(turn);
    const done = this.#last.then(() => {
      this.checkOpen();
      return change(turn);
    });
    // Whoever comes next waits for the end of this turn, and has nothing to do with how it ended.
    this.#last = done.catch(() => undefined).finally(() => this.#waiting.delete(turn));
    return done;
  }

  /** Tells those who wait that the claim was changed in this turn, unless they did it themselves and so know. */
  overtake(changed: ClaimTurn, reason: ClaimReason): void {
    for (const turn of this.#waiting) {
      if (isSameCaller(turn.by, changed.by) || turn.overtakenBy === "takeover") continue;
      turn.overtakenBy = reason;
    }
  }

  /** Refuses what comes after the end. */
  checkOpen(): void {
    if (!this.#isClosed) return;
    throw new NacreError("terminal_exited", "the program of this terminal has ended");
  }

  [Symbol.dispose](): void {
    this.#isClosed = true;
  }
}

const isSameCaller = (one: Caller | undefined, other: Caller | undefined): boolean =>
  one?.id === other?.id && one?.clientId === other?.clientId && one?.session === other?.session;
