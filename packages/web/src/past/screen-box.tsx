import type { PlayerScreen } from "@nacre/client/ui";
import {
  decodeBytes,
  type Screen as RecordedScreen,
  type TerminalId,
  type TerminalRecordingEntry,
} from "@nacre/contracts";
import { useEffect, useRef } from "preact/hooks";
import { showFailures } from "../parts/toast.tsx";
import type { Screen } from "../screen/screen.ts";
import type { Playback } from "./playback.ts";

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

interface ScreenBoxProps {
  readonly playback: Playback;
  readonly id: TerminalId;
  readonly label: string;
  /** Called once the screen is there, to begin; what it returns is where. */
  readonly start: (screen: Screen) => Promise<void> | void;
}

/** The screen that a recording is played on; it only shows. */
export function ScreenBox({ playback, id, label, start }: ScreenBoxProps) {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    let screen: Screen | undefined;
    let isGone = false;
    const open = async (): Promise<void> => {
      // The emulator is large; only who looks at a screen loads it.
      const { Screen } = await import("../screen/screen.ts");
      if (isGone || !box.current) return;
      screen = new Screen({ label });
      screen.mount(box.current);
      await start(screen);
    };
    showFailures(open());
    return () => {
      isGone = true;
      playback.end();
      screen?.[Symbol.dispose]();
    };
  }, [playback, id]);
  return <div ref={box} class="played-screen" />;
}

/** The screen of the page as a player draws on it. */
export const playedOn = (screen: Screen): PlayedScreen =>
  new PlayedScreen({
    write: (data, drawn) => screen.terminal.write(data, drawn),
    resize: (size) => screen.resize(size),
  });
