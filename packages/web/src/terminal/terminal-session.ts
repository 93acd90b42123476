import type { OpenTerminal } from "@nacre/client";
import { NacreError, type TerminalId } from "@nacre/contracts";
import { signal } from "@preact/signals";
import type { IMarker } from "@xterm/xterm";
import { describeError, showError } from "../parts/toast.tsx";
import { Screen } from "../screen/screen.ts";
import type { LiveState } from "../state/live-state.ts";
import { isCtrlHeld } from "./key-modifiers.ts";

/** Applies the on-screen Ctrl key. */
function asTyped(data: string): string {
  if (!isCtrlHeld.value) return data;
  isCtrlHeld.value = false;
  return /^[a-z@[\\\]^_ ]$/i.test(data) ? String.fromCharCode(data.charCodeAt(0) & 31) : data;
}

export type ScreenState = "connecting" | "connected" | "lost" | "ended" | "failed";

/** More than anybody jumps to; the oldest are forgotten. */
const MAX_PLACES = 4000;

/** Throttles refusals: one message, not one per key. */
const REFUSAL_PAUSE_MS = 3000;

export interface TerminalSessionOptions {
  readonly handleKey: (event: KeyboardEvent) => boolean;
}

/** A terminal on the page, with its connection. */
export class TerminalSession implements Disposable {
  readonly state = signal<ScreenState>("connecting");
  /** The screen is up to date. */
  readonly isShown = signal(false);
  readonly failure = signal<string | undefined>(undefined);
  readonly screen: Screen;
  readonly #id: TerminalId;
  readonly #open: OpenTerminal;
  /** Markers of entries that came while it was shown. */
  #places: { readonly sequence: number; readonly marker: IMarker }[] = [];
  #refusedAt = Number.NEGATIVE_INFINITY;
  #isOver = false;

  constructor(live: LiveState, id: TerminalId, { handleKey }: TerminalSessionOptions) {
    this.#id = id;
    this.#open = live.client.openTerminal(id, {
      handleConnection: (state) => {
        this.state.value = state;
        if (state === "lost") this.isShown.value = false;
      },
    });
    this.screen = new Screen({
      label: "Terminal",
      handleInput: (data) => this.type(typeof data === "string" ? asTyped(data) : data),
      handleWantedSize: (size) => this.#open.resize(size),
      handleKey,
    });
  }

  /** Until it ends or is disposed of. */
  async show(box: HTMLElement): Promise<void> {
    this.screen.mount(box);
    try {
      await this.#follow();
      if (!this.#isOver) this.state.value = "ended";
    } catch (error) {
      if (this.#isOver) return;
      this.state.value = "failed";
      this.failure.value = describeError(error);
    }
  }

  /** Shows why when it cannot. */
  type(data: string | Uint8Array): void {
    if (this.state.value === "ended") return;
    try {
      this.#open.write(data);
    } catch (error) {
      this.#refuse(error);
    }
  }

  /** False when the entry's place is unknown. */
  scrollTo(sequence: number): boolean {
    const place = this.#places.findLast(
      (one) => one.sequence <= sequence && !one.marker.isDisposed,
    );
    if (!place) return false;
    this.screen.terminal.scrollToLine(Math.max(0, place.marker.line - 1));
    return true;
  }

  [Symbol.dispose](): void {
    this.#isOver = true;
    void this.#open[Symbol.asyncDispose]();
    this.screen[Symbol.dispose]();
  }

  async #follow(): Promise<void> {
    for await (const message of this.#open) {
      if (this.#isOver) return;
      this.isShown.value = true;
      switch (message.kind) {
        case "snapshot":
          this.#places = [];
          await this.screen.restore(message.bytes, message.size);
          this.#note(message.sequence);
          break;
        case "bytes":
          await this.screen.write(message.bytes);
          this.#note(message.sequence);
          break;
        case "size":
          this.screen.resize(message.size);
          break;
        case "refusal":
          this.#refuse(message.error);
          break;
        case "gap":
          await this.screen.write("\r\n\u001b[7m output is missing here \u001b[m\r\n");
          break;
        case "title":
        case "claim":
        case "exit":
          // The list of terminals tells it, too.
          break;
      }
    }
  }

  #note(sequence: number): void {
    // The screen may be gone by now.
    if (this.#isOver) return;
    const { terminal } = this.screen;
    const last = this.#places.at(-1);
    const line = terminal.buffer.normal.baseY + terminal.buffer.normal.cursorY;
    if (terminal.buffer.active.type !== "normal" || last?.marker.line === line) return;
    const marker = terminal.registerMarker(0);
    this.#places.push({ sequence, marker });
    if (this.#places.length > MAX_PLACES) this.#places.shift()?.marker.dispose();
  }

  #refuse(error: unknown): void {
    const now = performance.now();
    if (now - this.#refusedAt < REFUSAL_PAUSE_MS) return;
    this.#refusedAt = now;
    const isAway = error instanceof NacreError && error.code === "unavailable";
    showError(
      isAway
        ? new NacreError("unavailable", `not connected to ${this.#id}; what you typed was not sent`)
        : error,
    );
  }
}
