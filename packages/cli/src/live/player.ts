import type { QuickCall } from "@nacre/client/quick";
import type { Size, TerminalId } from "@nacre/contracts";
import { safeText } from "../print.ts";
import {
  chapterAt,
  clockText,
  firstAfter,
  nextChapter,
  nextSpeed,
  type PlayEvent,
  type PlayTrack,
  waitMs,
} from "./play-track.ts";
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
  readonly track: PlayTrack;
  readonly speed: number;
  readonly idleLimitMs: number;
  readonly fromMs: number;
}

/** How far the arrows go. */
const SEEK_MS = 5000;

/** How often the place in the status line is drawn anew while nothing happens. */
const STATUS_MS = 1000;

/** Draws a recording in the terminal of the user, screen by screen: what was written is never sent there as it is, so nothing in it can ask or change anything. */
export class TerminalPlayer implements TerminalUse {
  readonly #options: PlayOptions;
  readonly #quit = new AbortController();
  #terminal: UserTerminal | undefined;
  #positionMs: number;
  #speed: number;
  #isPaused = false;
  #isStale = true;
  #drawn: string[] = [];
  #drawnSequence: number | undefined;
  #actions: PlayAction[] = [];
  #wake: (() => void) | undefined;

  constructor(options: PlayOptions) {
    this.#options = options;
    this.#positionMs = Math.min(options.fromMs, options.track.durationMs);
    this.#speed = options.speed;
  }

  /** Plays until the user leaves. */
  async run(): Promise<void> {
    await using terminal = await UserTerminal.take(this);
    this.#terminal = terminal;
    const { track } = this.#options;
    const wake = (): void => this.#wake?.();
    terminal.left.addEventListener("abort", wake);
    track.onChange(wake);
    await terminal.write("\x1b[?1049h\x1b[?25l\x1b[?7l");
    while (!this.#quit.signal.aborted && !terminal.left.aborted) {
      for (const action of this.#actions.splice(0)) this.#act(action);
      if (this.#isStale || this.#sequence !== this.#drawnSequence) await this.#draw();
      await this.#drawStatus();
      await this.#untilNext();
    }
    if (terminal.left.aborted) throw terminal.left.reason;
  }

  leavesAtBottom(): boolean {
    return true;
  }

  handleInput(bytes: Uint8Array): void {
    this.#actions.push(...playActions(bytes));
    this.#wake?.();
  }

  handleResize(): void {
    this.#drawn = [];
    this.#isStale = true;
    this.#wake?.();
  }

  handleResume(): void {
    void this.#terminal?.write("\x1b[?1049h\x1b[?25l\x1b[?7l");
    this.handleResize();
  }

  /** Waits for the next event to be due, or for a key, whichever is first, and goes there. */
  async #untilNext(): Promise<void> {
    if (this.#actions.length > 0) return;
    const { track } = this.#options;
    const next = track.events[firstAfter(track.events, this.#positionMs)];
    if (!this.#isPaused && next) return this.#untilDue(next);
    await this.#sleep(STATUS_MS);
    // What a program writes now is shown now; it was waited for already.
    if (!this.#isPaused && !next && track.durationMs > this.#positionMs) {
      this.#seek(track.durationMs);
    }
  }

  async #untilDue({ elapsedMs }: PlayEvent): Promise<void> {
    const from = this.#positionMs;
    const { idleLimitMs } = this.#options;
    const dueMs = waitMs(from, elapsedMs, { speed: this.#speed, idleLimitMs });
    const startedAt = performance.now();
    const isSlept = await this.#sleep(Math.min(dueMs, STATUS_MS));
    if (isSlept && dueMs <= STATUS_MS) return this.#seek(elapsedMs);
    // A time that is cut short passes as fast as it is cut.
    const share = dueMs === 0 ? 0 : Math.min(0.999, (performance.now() - startedAt) / dueMs);
    this.#positionMs = from + (elapsedMs - from) * share;
  }

  #sleep(delayMs: number): Promise<boolean> {
    return new Promise((resolve) => {
      const finish = (isDue: boolean): void => {
        clearTimeout(timer);
        this.#wake = undefined;
        resolve(isDue);
      };
      const timer = setTimeout(() => finish(true), delayMs);
      this.#wake = () => finish(false);
    });
  }

  #act(action: PlayAction): void {
    const { track } = this.#options;
    switch (action) {
      case "quit":
        return this.#quit.abort();
      case "pause":
        this.#isPaused = !this.#isPaused;
        return;
      case "step": {
        this.#isPaused = true;
        const next = track.events[firstAfter(track.events, this.#positionMs)];
        return next && this.#seek(next.elapsedMs);
      }
      case "faster":
        this.#speed = nextSpeed(this.#speed, 1);
        return;
      case "slower":
        this.#speed = nextSpeed(this.#speed, -1);
        return;
      case "forward":
        return this.#seek(this.#positionMs + SEEK_MS);
      case "back":
        return this.#seek(this.#positionMs - SEEK_MS);
      case "start":
        return this.#seek(0);
      case "end":
        return this.#seek(track.durationMs);
      case "nextChapter":
        return this.#seekChapter(1);
      case "previousChapter":
        return this.#seekChapter(-1);
    }
  }

  #seekChapter(direction: 1 | -1): void {
    const chapter = nextChapter(this.#options.track.chapters, this.#positionMs, direction);
    this.#seek(chapter?.elapsedMs ?? (direction === 1 ? this.#options.track.durationMs : 0));
  }

  #seek(positionMs: number): void {
    this.#positionMs = Math.min(Math.max(0, positionMs), this.#options.track.durationMs);
    this.#isStale = true;
  }

  /** Draws the screen of this moment, as far as it fits above the status line. */
  async #draw(): Promise<void> {
    const { call, id } = this.#options;
    this.#isStale = false;
    const at = this.#sequence;
    this.#drawnSequence = at;
    if (at === undefined) return;
    const { content, cursor } = await call("readScreen", { id, format: "cells", at });
    const { cols, rows } = this.#size;
    const first = fittingRows(rows - 1, cursor.row);
    const shown = readRows(content);
    const lines = Array.from({ length: rows - 1 }, (_, row) => drawRow(shown[first + row], cols));
    await this.#drawLines(lines);
  }

  async #drawLines(lines: readonly string[]): Promise<void> {
    const changed = lines.flatMap((line, row) =>
      line === this.#drawn[row] ? [] : `\x1b[${row + 1};1H\x1b[0m\x1b[2K${line}`,
    );
    this.#drawn = [...lines];
    await this.#terminal?.write(changed.join(""));
  }

  async #drawStatus(): Promise<void> {
    const { cols, rows } = this.#size;
    const line = ` ${this.#statusText()} `.slice(0, cols).padEnd(cols);
    await this.#terminal?.write(`\x1b[${rows};1H\x1b[0;7m${line}\x1b[0m`);
  }

  #statusText(): string {
    const { label, track } = this.#options;
    const place = `${clockText(this.#positionMs)} / ${clockText(track.durationMs)}`;
    const isAtEnd = firstAfter(track.events, this.#positionMs) >= track.events.length;
    const state = this.#isPaused ? "paused" : isAtEnd ? (track.isLive ? "live" : "end") : "playing";
    const chapter = chapterAt(track.chapters, this.#positionMs);
    const where = chapter ? ` · ${safeText(chapter.label)}` : "";
    return `${safeText(label)} · ${state} ${place} ×${this.#speed} · space . [ ] < > ← → q${where}`;
  }

  /** The newest event of this moment; the first one where nothing has happened yet. */
  get #sequence(): number | undefined {
    const { events } = this.#options.track;
    return events[Math.max(0, firstAfter(events, this.#positionMs) - 1)]?.sequence;
  }

  get #size(): Size {
    return this.#terminal?.size ?? { cols: 80, rows: 24 };
  }
}
