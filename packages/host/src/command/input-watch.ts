import { type Clock, SYSTEM_CLOCK } from "../base/clock.ts";
import type { CommandPhase, ForegroundSignal } from "./command-state.ts";
import type { LeaderFacts } from "./process-probe.ts";
import type { AwaitedInputKind, ForegroundState } from "./foreground-state.ts";

/** A program silent for this long may be waiting; a working one mostly writes more often. */
const QUIET_MS = 150;

/** Longest interval between looks once a program has been quiet for a while. */
const MAX_GAP_MS = 2000;

/** Longest interval once the need is known, or after `LONG_QUIET_MS`. */
const MAX_IDLE_GAP_MS = 30_000;

/** A program quiet for this long is a server, or nobody is there. */
const LONG_QUIET_MS = 600_000;

export interface InputNeed {
  readonly kind: AwaitedInputKind | "continuation";
  /** The program edits the line itself. */
  readonly lineEditor?: true;
  /** On the watch's clock. */
  readonly sinceMs: number;
}

export interface InputWatchOptions {
  /** A rejection ends the watch: the program is gone. */
  readonly look: () => Promise<ForegroundState>;
  readonly onInputNeeded: (needed: InputNeed | undefined) => void;
  readonly onForeground: (signal: ForegroundSignal) => void;
  readonly clock?: Clock;
}

/** Detects, after output stops, that a program waits for input. A shell at its prompt costs no timer and no look. */
export class InputWatch implements Disposable {
  readonly #options: InputWatchOptions;
  readonly #clock: Clock;
  #phase: CommandPhase = "unknown";
  #needed: InputNeed | undefined;
  #cancelTimer: (() => void) | undefined;
  #dueAtMs = 0;
  #gapMs = QUIET_MS;
  #activeAtMs = 0;
  #activities = 0;
  #idleSinceMs: number | undefined;
  /** A line was sent without any output since: the shell may not have read it yet. */
  #awaitsEcho = false;
  #image: string | undefined;
  #isLooking = false;
  #isOver = false;

  constructor(options: InputWatchOptions) {
    this.#options = options;
    this.#clock = options.clock ?? SYSTEM_CLOCK;
    this.#noteActivity();
  }

  get inputNeeded(): InputNeed | undefined {
    return this.#needed;
  }

  setPhase(phase: CommandPhase): void {
    if (phase === this.#phase) return;
    this.#phase = phase;
    this.#setNeeded(undefined);
    if (phase !== "prompt") return this.#noteActivity();
    this.#stopTimer();
    if (this.#image === undefined) void this.#learnImage();
  }

  noteOutput(): void {
    this.#awaitsEcho = false;
    this.#noteActivity();
  }

  noteInput(bytes: Uint8Array): void {
    const isSent = [0x0a, 0x0d, 0x03, 0x04, 0x1a].some((key) => bytes.includes(key));
    if (isSent) this.#awaitsEcho = true;
    if (isSent || this.#needed?.kind === "key") this.#setNeeded(undefined);
    this.#noteActivity();
  }

  [Symbol.dispose](): void {
    this.#isOver = true;
    this.#stopTimer();
  }

  #noteActivity(): void {
    this.#activeAtMs = this.#clock.monotonicMs();
    this.#activities++;
    this.#idleSinceMs = undefined;
    this.#gapMs = QUIET_MS;
    // A timer that is due soon checks the clock itself, so that a flood of output sets none.
    if (!this.#cancelTimer || this.#dueAtMs > this.#activeAtMs + QUIET_MS) this.#waitFor(QUIET_MS);
  }

  #waitFor(delayMs: number): void {
    this.#stopTimer();
    if (this.#isOver || this.#isLooking || this.#phase === "prompt") return;
    this.#dueAtMs = this.#clock.monotonicMs() + delayMs;
    this.#cancelTimer = this.#clock.after(delayMs, () => this.#handleTimer());
  }

  #stopTimer(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
  }

  #handleTimer(): void {
    this.#cancelTimer = undefined;
    const quietMs = this.#clock.monotonicMs() - this.#activeAtMs;
    if (quietMs < QUIET_MS) return this.#waitFor(QUIET_MS - quietMs);
    // The shell's own marker says that it waits.
    if (this.#phase === "continuation") return this.#need({ kind: "continuation" });
    void this.#lookAgain();
  }

  async #lookAgain(): Promise<void> {
    const activities = this.#activities;
    const phase = this.#phase;
    this.#isLooking = true;
    const seen = await this.#look();
    this.#isLooking = false;
    if (this.#isOver) return;
    // The look may predate what happened meanwhile.
    if (!seen || activities !== this.#activities || phase !== this.#phase) {
      return this.#waitFor(QUIET_MS);
    }
    this.#tellForeground(seen);
    // The listener may have learned that the shell is at its prompt.
    if (phase !== this.#phase) return;
    if (seen.kind === undefined) this.#setNeeded(undefined);
    else this.#need({ kind: seen.kind, ...(seen.lineEditor && { lineEditor: true }) });
    this.#growGap(seen);
    this.#waitFor(this.#gapMs);
  }

  #growGap({ kind, shellIdle }: ForegroundState): void {
    const isLongQuiet = this.#clock.monotonicMs() - this.#activeAtMs > LONG_QUIET_MS;
    const isSettled = isLongQuiet || (kind !== undefined && !shellIdle);
    this.#gapMs = Math.min(this.#gapMs * 2, isSettled ? MAX_IDLE_GAP_MS : MAX_GAP_MS);
  }

  #tellForeground({ leader, jobRuns, shellIdle }: ForegroundState): void {
    if (leader) this.#tellReplacement(leader);
    if (jobRuns) this.#options.onForeground({ kind: "jobRuns" });
    if (!shellIdle || this.#awaitsEcho) {
      this.#idleSinceMs = undefined;
      return;
    }
    const nowMs = this.#clock.monotonicMs();
    this.#idleSinceMs ??= nowMs;
    const { lineEditor } = shellIdle;
    this.#options.onForeground({ kind: "shellIdle", lineEditor, forMs: nowMs - this.#idleSinceMs });
  }

  #tellReplacement({ image, name, isShell }: LeaderFacts): void {
    if (this.#image === undefined || image === this.#image) return;
    this.#image = image;
    this.#options.onForeground({ kind: "shellReplaced", name, isShell });
  }

  /** Remembers the program that showed the first prompt, to notice when exec replaces it. */
  async #learnImage(): Promise<void> {
    const seen = await this.#look();
    this.#image ??= seen?.leader?.image;
  }

  async #look(): Promise<ForegroundState | undefined> {
    try {
      return await this.#options.look();
    } catch {
      // The program ended between two looks.
      this[Symbol.dispose]();
      return undefined;
    }
  }

  #need(needed: Omit<InputNeed, "sinceMs">): void {
    const { kind, lineEditor } = this.#needed ?? {};
    if (kind === needed.kind && lineEditor === needed.lineEditor) return;
    this.#setNeeded({ ...needed, sinceMs: this.#clock.monotonicMs() });
  }

  #setNeeded(needed: InputNeed | undefined): void {
    if (needed === undefined && this.#needed === undefined) return;
    this.#needed = needed;
    this.#options.onInputNeeded(needed);
  }
}
