import type { QuickCall } from "@nacre/client/quick";
import {
  ARROW_MS,
  type Chapter,
  CHAPTER_TYPES,
  chapterAt,
  chapterSpot,
  type Extent,
  formatClock,
  Player,
  type PlayerScreen,
  type RecordingSource,
  recordingSource,
  safeText,
  SHOWN_TYPES,
  type Spot,
} from "@nacre/client/ui";
import type { Screen, Size, TerminalId, TerminalRecordingEntry } from "@nacre/contracts";
import { followEntries } from "./follow-entries.ts";
import { drawRow, fittingRows, readRows } from "./row-of-cells.ts";
import { type TerminalUse, UserTerminal } from "./user-terminal.ts";

/** What a person wants of a replay. */
type PlayAction =
  | "pause"
  | "step"
  | "nextChapter"
  | "previousChapter"
  | "faster"
  | "slower"
  | "forward"
  | "back"
  | "start"
  | "end"
  | "quit";

const KEYS: Readonly<Record<string, PlayAction>> = {
  " ": "pause",
  ".": "step",
  "]": "nextChapter",
  "[": "previousChapter",
  ">": "faster",
  "<": "slower",
  q: "quit",
  Q: "quit",
  "\x03": "quit",
  "\x04": "quit",
};

const CODES: Readonly<Record<string, PlayAction>> = {
  C: "forward",
  D: "back",
  A: "forward",
  B: "back",
  H: "start",
  F: "end",
  "1~": "start",
  "7~": "start",
  "4~": "end",
  "8~": "end",
};

/** The keys that were pressed, as far as they mean something here. */
export function playActions(bytes: Uint8Array): readonly PlayAction[] {
  const text = Buffer.from(bytes).toString("latin1");
  // oxlint-disable-next-line no-control-regex
  const keys = text.match(/\x1b[[O][\x30-\x3f]*[A-Za-z~]|[^]/g) ?? [];
  return keys.flatMap((key) => (key.length > 1 ? (CODES[key.slice(2)] ?? []) : (KEYS[key] ?? [])));
}

export interface PlayOptions {
  readonly id: TerminalId;
  readonly label: string;
  readonly call: QuickCall;
  readonly speed: number;
  readonly idleLimitMs: number;
  readonly fromMs: number;
}

/** What is known of a recording before it is played. */
interface Recording {
  readonly source: RecordingSource;
  readonly extent: Extent;
  readonly chapters: readonly Chapter[];
}

/** As often as a terminal over a network can show it. */
const FRAME_MS = 40;

const TAKE_SCREEN = "\x1b[?1049h\x1b[?25l\x1b[?7l";

/** Draws a recording in the terminal of the user, screen by screen: what was written is never sent there as it is, so nothing in it can ask or change anything. */
export class TerminalPlayer implements TerminalUse, PlayerScreen {
  /** Screens come from the host as they are to be drawn. */
  readonly waitingBytes = 0;
  readonly #options: PlayOptions;
  readonly #source: RecordingSource;
  readonly #player: Player;
  readonly #quit = new AbortController();
  #terminal: UserTerminal | undefined;
  #chapters: readonly Chapter[];
  /** Whether more may come. */
  #isLive: boolean;
  /** Whether the user paused; at the end of what there is, playing stops by itself. */
  #isPaused = false;
  #screen: Screen | undefined;
  /** The newest change that is not on that screen yet. */
  #changedAt: number | undefined;
  #drawnScreen: Screen | undefined;
  #drawn: string[] = [];
  #isStale = true;
  #wake: (() => void) | undefined;

  private constructor(options: PlayOptions, recording: Recording) {
    const { source, extent, chapters } = recording;
    const { speed, idleLimitMs } = options;
    this.#options = options;
    this.#source = source;
    this.#chapters = chapters;
    this.#isLive = !extent.isEnded;
    this.#player = new Player({
      source,
      screen: this,
      durationMs: extent.durationMs,
      speed,
      idleLimitMs,
      handleChange: () => this.#redraw(),
    });
  }

  /** Plays a recording until the user leaves. */
  static async play(options: PlayOptions): Promise<void> {
    const { id, call } = options;
    const source = recordingSource(
      {
        readTimeline: (input, more) => call("readTimeline", input, more),
        findRecordingEntries: (input, more) => call("findRecordingEntries", input, more),
        readScreen: (input, more) => call("readScreen", input, more),
      },
      { id, format: "cells" },
    );
    const extent = await source.readExtent();
    const chapters = await source.readChapters();
    await new TerminalPlayer(options, { source, extent, chapters }).#run(extent.lastSequence);
  }

  leavesAtBottom(): boolean {
    return true;
  }

  handleInput(bytes: Uint8Array): void {
    for (const action of playActions(bytes)) this.#act(action);
    this.#redraw();
  }

  handleResize(): void {
    this.#drawn = [];
    this.#drawnScreen = undefined;
    this.#redraw();
  }

  handleResume(): void {
    void this.#terminal?.write(TAKE_SCREEN);
    this.handleResize();
  }

  restore(screen: Screen): void {
    this.#screen = screen;
    this.#changedAt = undefined;
  }

  apply({ sequence }: TerminalRecordingEntry): void {
    this.#changedAt = sequence;
  }

  async #run(lastSequence: number): Promise<void> {
    await using terminal = await UserTerminal.take(this);
    using player = this.#player;
    // Who follows the recording must not go on after an error, either.
    using _end = { [Symbol.dispose]: () => this.#quit.abort() };
    this.#terminal = terminal;
    const gone = AbortSignal.any([this.#quit.signal, terminal.left]);
    gone.addEventListener("abort", () => this.#wake?.());
    await terminal.write(TAKE_SCREEN);
    this.#seek({ atMs: this.#options.fromMs });
    if (this.#isLive) void this.#follow(lastSequence, gone);
    while (!gone.aborted) {
      player.tick(performance.now());
      this.#isStale = false;
      await this.#draw();
      const { isPlaying, isWaiting, problem } = player.state;
      // A place is told once its screen is drawn.
      if (!isWaiting && this.#screen === this.#drawnScreen) await this.#drawStatus();
      if (problem instanceof Error) throw problem;
      if (!gone.aborted && (isPlaying || !this.#isStale)) await this.#nextFrame(isPlaying);
    }
    if (terminal.left.aborted) throw terminal.left.reason;
  }

  /** Waits for time to pass while something plays, and for something to happen otherwise. */
  #nextFrame(isPlaying: boolean): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = isPlaying ? setTimeout(resolve, FRAME_MS) : undefined;
    this.#wake = resolve;
    return promise.finally(() => clearTimeout(timer));
  }

  #redraw(): void {
    this.#isStale = true;
    // A frame is due by its time while something plays.
    if (!this.#player.state.isPlaying) this.#wake?.();
  }

  /** What a program writes while its recording is played to the end is shown at once: it was waited for already. */
  async #follow(after: number, signal: AbortSignal): Promise<void> {
    const { call, id } = this.#options;
    const types = [...SHOWN_TYPES, ...CHAPTER_TYPES];
    try {
      const entries = followEntries(call, { id, types, after, isFollowing: true, signal });
      for await (const { type, sequence, elapsedMs: atMs } of entries) {
        if (CHAPTER_TYPES.some((one) => one === type)) {
          this.#chapters = await this.#source.readChapters(signal);
        }
        const isFollowing = this.#isAtEnd && !this.#isPaused;
        this.#player.setDuration(atMs);
        if (isFollowing) this.#player.seekTo({ atMs, sequence });
      }
    } catch {
      // What cannot be read any more does not come; what there is can be played.
    }
    this.#isLive = false;
    this.#redraw();
  }

  #act(action: PlayAction): void {
    const player = this.#player;
    const { positionMs, durationMs } = player.state;
    switch (action) {
      case "quit":
        return this.#quit.abort();
      case "pause":
        return this.#togglePause();
      case "step":
        this.#isPaused = true;
        return player.step();
      case "faster":
        return player.changeSpeed(1);
      case "slower":
        return player.changeSpeed(-1);
      case "forward":
        return this.#seek({ atMs: positionMs + ARROW_MS });
      case "back":
        return this.#seek({ atMs: positionMs - ARROW_MS });
      case "start":
        return this.#seek({ atMs: 0 });
      case "end":
        return this.#seek({ atMs: durationMs });
      case "nextChapter":
        return this.#seek(chapterSpot(this.#chapters, player.state, 1));
      case "previousChapter":
        return this.#seek(chapterSpot(this.#chapters, player.state, -1));
    }
  }

  #togglePause(): void {
    const isLiveEnd = this.#isLive && this.#isAtEnd;
    this.#isPaused = this.#player.state.isPlaying || (isLiveEnd && !this.#isPaused);
    if (this.#isPaused) this.#player.pause();
    else if (!isLiveEnd) this.#player.play();
  }

  #seek(spot: Spot): void {
    this.#player.seekTo(spot);
    if (!this.#isPaused && !this.#isAtEnd) this.#player.play();
  }

  /** Whether everything was played that there is. */
  get #isAtEnd(): boolean {
    const { positionMs, durationMs, isPlaying } = this.#player.state;
    return !isPlaying && positionMs >= durationMs;
  }

  /** Draws the screen of this moment, as far as it fits above the status line. */
  async #draw(): Promise<void> {
    const sequence = this.#changedAt;
    if (sequence !== undefined) {
      const screen = await this.#source.readScreen({ atMs: 0, sequence });
      // Somebody may have gone elsewhere meanwhile.
      if (this.#changedAt === sequence) this.restore(screen);
    }
    const screen = this.#screen;
    if (!screen || screen === this.#drawnScreen) return;
    this.#drawnScreen = screen;
    const { cols, rows } = this.#size;
    const first = fittingRows(rows - 1, screen.cursor.row);
    const shown = readRows(screen.content);
    const lines = Array.from({ length: rows - 1 }, (_, row) => drawRow(shown[first + row], cols));
    await this.#drawLines(lines);
  }

  async #drawLines(lines: string[]): Promise<void> {
    const changed = lines.flatMap((line, row) =>
      line === this.#drawn[row] ? [] : `\x1b[${row + 1};1H\x1b[0m\x1b[2K${line}`,
    );
    this.#drawn = lines;
    await this.#terminal?.write(changed.join(""));
  }

  async #drawStatus(): Promise<void> {
    const { cols, rows } = this.#size;
    const line = ` ${this.#statusText()} `.slice(0, cols).padEnd(cols);
    if (line === this.#drawn[rows - 1]) return;
    this.#drawn[rows - 1] = line;
    await this.#terminal?.write(`\x1b[${rows};1H\x1b[0;7m${line}\x1b[0m`);
  }

  #statusText(): string {
    const { positionMs, durationMs, speed } = this.#player.state;
    const place = `${formatClock(positionMs)} / ${formatClock(durationMs)}`;
    const end = this.#isLive ? "live" : "end";
    const state = this.#isPaused ? "paused" : this.#isAtEnd ? end : "playing";
    const chapter = this.#chapters[chapterAt(this.#chapters, positionMs)];
    const where = chapter ? ` · ${chapter.label}` : "";
    const label = safeText(this.#options.label);
    return `${label} · ${state} ${place} ×${speed} · space . [ ] < > ← → q${where}`;
  }

  get #size(): Size {
    return this.#terminal?.size ?? { cols: 80, rows: 24 };
  }
}
