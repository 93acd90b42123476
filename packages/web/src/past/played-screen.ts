import {
  decodeBytes,
  type Screen as RecordedScreen,
  type TerminalRecordingEntry,
} from "@nacre/contracts";
import type { PlayerScreen } from "./player.ts";

/** The part of a screen of the page that a player draws on; what is written is drawn in order, and `drawn` is called then. */
export interface DrawnScreen {
  write(data: string | Uint8Array, drawn?: () => void): void;
  resize(size: { readonly cols: number; readonly rows: number }): void;
}

/** Forgets everything that was shown, with the lines above the screen. */
const RESET = "\u001bc";

/** What the host does at this entry. */
const CLEAR = "\u001b[H\u001b[2J\u001b[3J";

/** Draws a recording on a screen of the page; nothing that it does reaches the terminal. */
export class PlayedScreen implements PlayerScreen {
  readonly #screen: DrawnScreen;
  #waitingBytes = 0;

  constructor(screen: DrawnScreen) {
    this.#screen = screen;
  }

  get waitingBytes(): number {
    return this.#waitingBytes;
  }

  restore({ size, content = "" }: RecordedScreen): void {
    // In order with what still waits to be drawn, so that none of it comes after this.
    this.#resize(size);
    this.#write(RESET + content);
  }

  apply(entry: TerminalRecordingEntry): void {
    if (entry.type === "output") {
      const { data, encoding } = entry;
      if (data !== undefined) this.#write(decodeBytes({ data, encoding }));
    } else if (entry.type === "resize") {
      this.#resize({ cols: entry.cols, rows: entry.rows });
    } else if (entry.type === "clear") {
      this.#write(CLEAR);
    }
  }

  #resize(size: { readonly cols: number; readonly rows: number }): void {
    this.#screen.write("", () => this.#screen.resize(size));
  }

  #write(data: string | Uint8Array): void {
    this.#waitingBytes += data.length;
    this.#screen.write(data, () => {
      this.#waitingBytes -= data.length;
    });
  }
}
