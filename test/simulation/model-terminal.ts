import type { TerminalId } from "@nacre/contracts";
import type { Checks } from "./checks.ts";
import type { FakeProgram } from "./fake-program.ts";

/** Input says from whom and for whom it is: terminal, client, how many the client sent there before, and the epoch it believed in. */
export const TAG = /i(\d+)\.(\d+)\.(\d+)\.e(\d+)/g;

/** What was shown to somebody, and so must last. */
interface Shown {
  readonly sequence: number;
  readonly hash: Uint8Array;
}

/** One terminal as it must be. */
export class ModelTerminal {
  readonly id: TerminalId;
  /** Counts terminals of a run. */
  readonly number: number;
  program: FakeProgram | undefined;
  /** Nothing of it may be missing; it waits instead. */
  isStrict = false;
  /** A recorder died while it was recorded: facts that it had may be gone. */
  hasLostRecorder = false;
  /** The keeper that had its program is gone. */
  hasLostKeeper = false;
  lastSequence = 0;
  elapsedMs = 0;
  /** How much of the output is recorded or counted as a gap. */
  nextOffset = 0;
  /** Behind the newest output that is recorded. */
  recordedOffset = 0;
  /** Some of it is missing and nobody can tell how much. */
  hasUncountedGap = false;
  hasGap = false;
  hasExit = false;
  /** Its end is recorded as one that nobody saw. */
  isLost = false;
  epoch = 0;
  isDeleted = false;
  /** Somebody asked for it to be removed: from then on some of it may be gone. */
  isPurging = false;
  /** Somebody asked for it to be ended and taken off the list. */
  isClosed = false;
  shown: Shown | undefined;
  /** When somebody last typed, or tried to. */
  lastInputAt = Number.NEGATIVE_INFINITY;
  /** A secret is asked for, and was typed; until it was taken nothing else is typed. */
  isSecretOpen = false;
  isSecretSent = false;
  readonly delivered = new Set<string>();
  readonly accepted = new Set<string>();
  readonly #lastCounts = new Map<string, number>();
  #deliveredEpoch = 0;

  constructor(id: TerminalId, number: number) {
    this.id = id;
    this.number = number;
  }

  /** A line reached the program. */
  deliver(line: string, checks: Checks): void {
    for (const [tag, terminal, client = "", count, epoch] of line.matchAll(TAG)) {
      const name = `${tag} in terminal ${this.number}`;
      checks.always(
        "I7 input reaches its own terminal",
        Number(terminal) === this.number,
        () => name,
      );
      checks.always("I7 input comes once", !this.delivered.has(tag), () => name);
      const before = this.#lastCounts.get(client) ?? 0;
      checks.always("I7 input of a client keeps its order", Number(count) > before, () => name);
      this.#lastCounts.set(client, Number(count));
      this.delivered.add(tag);
      if (Number(epoch) === 0) continue;
      const isInOrder = Number(epoch) >= this.#deliveredEpoch;
      checks.always("I6 no input of an older epoch after a newer one", isInOrder, () => name);
      this.#deliveredEpoch = Number(epoch);
    }
  }

  /** Everything follows from the recording. */
  forget(): void {
    this.lastSequence = this.elapsedMs = this.nextOffset = this.recordedOffset = this.epoch = 0;
    this.hasUncountedGap = this.hasGap = this.hasExit = this.isLost = false;
  }
}
