import type { Screen, TerminalRecordingEntry } from "@nacre/contracts";
import type { Spot } from "./outline.ts";
import type { RecordingSource } from "./recording-source.ts";

/** With fewer entries at hand than this the next page is fetched, so that playing never waits for it. */
const LOW_ENTRIES = 250;

/** The entries behind a place of a recording, fetched a page ahead of who takes them: never more than a page and a rest of one. */
class EntryQueue implements Disposable {
  readonly #source: RecordingSource;
  readonly #gone = new AbortController();
  readonly #handleChange: () => void;
  #entries: readonly TerminalRecordingEntry[] = [];
  #taken = 0;
  #after: number;
  #isLast = false;
  #hasGrown = false;
  #isFetching = false;
  #problem: unknown;

  constructor(source: RecordingSource, after: number, handleChange: () => void) {
    this.#source = source;
    this.#after = after;
    this.#handleChange = handleChange;
    this.#fill();
  }

  /** How many entries are at hand. */
  get length(): number {
    return this.#entries.length - this.#taken;
  }

  /** Whether everything was taken and nothing follows. */
  get isEnded(): boolean {
    return this.#isLast && this.length === 0;
  }

  /** Why no more could be fetched, if so; `retry` tries again. */
  get problem(): unknown {
    return this.#problem;
  }

  peek(): TerminalRecordingEntry | undefined {
    return this.#entries[this.#taken];
  }

  take(): TerminalRecordingEntry | undefined {
    const entry = this.peek();
    if (entry) this.#taken += 1;
    if (this.length < LOW_ENTRIES) this.#fill();
    return entry;
  }

  retry(): void {
    this.#problem = undefined;
    this.#fill();
  }

  /** The recording has more entries than it had. */
  grow(): void {
    this.#isLast = false;
    this.#hasGrown = true;
    if (this.length < LOW_ENTRIES) this.#fill();
  }

  [Symbol.dispose](): void {
    this.#gone.abort();
  }

  #fill(): void {
    const { aborted } = this.#gone.signal;
    if (this.#isLast || this.#isFetching || this.#problem !== undefined || aborted) return;
    this.#isFetching = true;
    void this.#fetch().then(() => {
      this.#isFetching = false;
      if (!this.#gone.signal.aborted) this.#handleChange();
    });
  }

  async #fetch(): Promise<void> {
    try {
      this.#hasGrown = false;
      const { entries, isLast } = await this.#source.readAfter(this.#after, this.#gone.signal);
      this.#entries = [...this.#entries.slice(this.#taken), ...entries];
      this.#taken = 0;
      this.#after = entries.at(-1)?.sequence ?? this.#after;
      // What came meanwhile may be behind what was read.
      this.#isLast = isLast && !this.#hasGrown;
    } catch (error) {
      // Who plays shows it and may try again.
      this.#problem = error;
    }
  }
}

/** What a player draws on. */
export interface PlayerScreen {
  /** Shows a screen instead of everything before. */
  restore(screen: Screen): void;
  /** Draws what an entry changed. */
  apply(entry: TerminalRecordingEntry): void;
  /** How many bytes were given to it and are not drawn yet. */
  readonly waitingBytes: number;
}

/** What a person sees of a player. */
export interface PlayerState {
  readonly positionMs: number;
  readonly durationMs: number;
  readonly isPlaying: boolean;
  /** Whether it waits for the host, or for the screen. */
  readonly isWaiting: boolean;
  readonly speed: number;
  /** No pause is longer than this; `Infinity` plays them in full. */
  readonly idleLimitMs: number;
  /** What went wrong, until something is tried again. */
  readonly problem: unknown;
}

/** How fast a recording can be played. */
export const SPEEDS: readonly number[] = [0.25, 0.5, 1, 1.5, 2, 4, 8, 16, 32];

/** The next speed up or down, from any speed. */
function nextSpeed(speed: number, direction: 1 | -1): number {
  const faster = SPEEDS.find((one) => one > speed);
  const slower = SPEEDS.findLast((one) => one < speed);
  return (direction === 1 ? faster : slower) ?? speed;
}

/** How far the arrow keys go. */
export const ARROW_MS = 5000;

/** What pauses are cut to where idle time is skipped. */
export const IDLE_LIMIT_MS = 1000;

/** A page in the background gets no frames; playing goes on where it was, not where it would be. */
const MAX_FRAME_MS = 250;

/** Given to the screen at once; the rest waits for the next frame, so that keys and clicks come through. */
const MAX_FRAME_BYTES = 256 * 1024;

/** With more bytes than this still to be drawn, time stands until the screen has caught up. */
const MAX_WAITING_BYTES = 1024 * 1024;

export interface PlayerDeps {
  readonly source: RecordingSource;
  readonly screen: PlayerScreen;
  readonly durationMs: number;
  readonly speed?: number;
  readonly idleLimitMs?: number;
  handleChange(state: PlayerState): void;
}

/** Plays a recording on a screen: a clock that can be stopped, sped up and set, and the entries that are due by it. */
export class Player implements Disposable {
  readonly #parts: PlayerDeps;
  readonly #gone = new AbortController();
  #state: PlayerState;
  #queue: EntryQueue | undefined;
  /** Where somebody wants to be; the newest wish counts. */
  #wanted: Spot | undefined;
  /** How many changes somebody wants to see one by one and that are not here yet. */
  #steps = 0;
  #isSeeking = false;
  #frameAt: number | undefined;
  /** When the screen changed last, or where playing began. */
  #changedMs = 0;

  constructor(deps: PlayerDeps) {
    this.#parts = deps;
    this.#state = {
      positionMs: 0,
      durationMs: deps.durationMs,
      isPlaying: false,
      isWaiting: false,
      speed: deps.speed ?? 1,
      idleLimitMs: deps.idleLimitMs ?? IDLE_LIMIT_MS,
      problem: undefined,
    };
  }

  get state(): PlayerState {
    return this.#state;
  }

  /** Goes on, from the beginning when it is at the end. */
  play(): void {
    const { positionMs, durationMs, isPlaying } = this.#state;
    if (isPlaying) return;
    this.#steps = 0;
    this.#queue?.retry();
    this.#change({ isPlaying: true, problem: undefined });
    if (positionMs >= durationMs || !this.#queue)
      this.seek(positionMs >= durationMs ? 0 : positionMs);
  }

  pause(): void {
    this.#change({ isPlaying: false, isWaiting: this.#isSeeking });
  }

  toggle(): void {
    if (this.#state.isPlaying) this.pause();
    else this.play();
  }

  /** One speed up or down. */
  changeSpeed(by: 1 | -1): void {
    this.setSpeed(nextSpeed(this.#state.speed, by));
  }

  setSpeed(speed: number): void {
    this.#change({ speed });
  }

  setIdleLimit(idleLimitMs: number): void {
    this.#change({ idleLimitMs });
  }

  /** A recording that still grows has more now. */
  setDuration(durationMs: number): void {
    // The newest of several entries of one moment makes it no longer.
    if (durationMs < this.#state.durationMs) return;
    this.#queue?.grow();
    this.#change({ durationMs });
  }

  /** Goes to a moment: the screen as it was then, and whatever follows once it plays. */
  seek(ms: number): void {
    this.seekTo({ atMs: ms });
  }

  /** Goes to a moment, or exactly behind an entry of it, as many may have the same moment. */
  seekTo(spot: Spot): void {
    const atMs = Math.round(Math.min(Math.max(spot.atMs, 0), this.#state.durationMs));
    this.#wanted = { ...spot, atMs };
    this.#steps = 0;
    this.#change({ positionMs: atMs, isWaiting: true, problem: undefined });
    if (!this.#isSeeking) void this.#seekAll();
  }

  /** Shows the next change and stops there, as soon as it is known. */
  step(): void {
    this.pause();
    this.#steps += 1;
    this.#takeSteps();
  }

  /** Moves time on and shows what is due; to be called for each frame with a clock that never jumps. */
  tick(now: number): void {
    const passed = this.#frameAt === undefined ? 0 : Math.min(now - this.#frameAt, MAX_FRAME_MS);
    this.#frameAt = now;
    const queue = this.#queue;
    if (!this.#state.isPlaying || this.#isSeeking || !queue) return;
    if (this.#parts.screen.waitingBytes > MAX_WAITING_BYTES)
      return this.#change({ isWaiting: true });
    this.#advance(queue, this.#state.positionMs + passed * this.#state.speed);
  }

  [Symbol.dispose](): void {
    this.#gone.abort();
    this.#queue?.[Symbol.dispose]();
    this.#queue = undefined;
    this.#state = { ...this.#state, isPlaying: false };
  }

  #advance(queue: EntryQueue, until: number): void {
    const target = this.#withoutIdle(queue, until);
    const start = this.#parts.screen.waitingBytes;
    for (let next = queue.peek(); next && next.elapsedMs <= target; next = queue.peek()) {
      queue.take();
      this.#apply(next);
      if (this.#parts.screen.waitingBytes - start < MAX_FRAME_BYTES) continue;
      return this.#change({ positionMs: next.elapsedMs, isWaiting: false });
    }
    if (queue.peek()) return this.#change({ positionMs: target, isWaiting: false });
    if (!queue.isEnded) {
      // What follows is not known yet, so time stands still.
      const { problem } = queue;
      return this.#change({
        isWaiting: true,
        ...(problem === undefined ? {} : { problem, isPlaying: false }),
      });
    }
    const { durationMs } = this.#state;
    const isOver = target >= durationMs;
    this.#change({
      positionMs: Math.min(target, durationMs),
      isWaiting: false,
      isPlaying: !isOver,
    });
  }

  /** The time to be at: where a pause has lasted long enough, when it ends. */
  #withoutIdle(queue: EntryQueue, until: number): number {
    if (until - this.#changedMs < this.#state.idleLimitMs) return until;
    const next = queue.peek();
    if (next) return Math.max(until, next.elapsedMs);
    return queue.isEnded ? Math.max(until, this.#state.durationMs) : until;
  }

  #takeSteps(): void {
    const queue = this.#queue;
    while (this.#steps > 0 && !this.#isSeeking && queue) {
      const entry = queue.take();
      if (!entry) {
        if (queue.isEnded) this.#steps = 0;
        return;
      }
      this.#apply(entry);
      this.#change({ positionMs: Math.max(this.#state.positionMs, entry.elapsedMs) });
      // Where only markers were, nothing is seen.
      if (entry.type !== "output" || entry.data !== "") this.#steps -= 1;
    }
  }

  #apply(entry: TerminalRecordingEntry): void {
    this.#changedMs = entry.elapsedMs;
    this.#parts.screen.apply(entry);
  }

  /** Goes where somebody wants to be until nobody wants to be elsewhere: what was wished in between is left out. */
  async #seekAll(): Promise<void> {
    this.#isSeeking = true;
    const { signal } = this.#gone;
    while (this.#wanted !== undefined && !signal.aborted) {
      const wanted = this.#wanted;
      this.#wanted = undefined;
      await this.#show(wanted, signal);
    }
    this.#isSeeking = false;
    if (signal.aborted) return;
    this.#change({ isWaiting: false });
    this.#takeSteps();
  }

  async #show(wanted: Spot, signal: AbortSignal): Promise<void> {
    try {
      const { source, screen } = this.#parts;
      const shown = await source.readScreen(wanted, signal);
      if (signal.aborted) return;
      screen.restore(shown);
      this.#changedMs = wanted.atMs;
      this.#queue?.[Symbol.dispose]();
      this.#queue = new EntryQueue(source, shown.sequence, () => {
        this.#change({ isWaiting: this.#isSeeking });
        this.#takeSteps();
      });
    } catch (problem) {
      if (!signal.aborted) this.#change({ problem, isPlaying: false });
    }
  }

  #change(changes: Partial<PlayerState>): void {
    this.#state = { ...this.#state, ...changes };
    if (!this.#gone.signal.aborted) this.#parts.handleChange(this.#state);
  }
}
