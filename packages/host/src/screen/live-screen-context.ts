import type { Size } from "@nacre/contracts";
import type { QueueBudget } from "./change-queue.ts";
import type { SavedScreen, ScreenSource } from "./screen-change.ts";
import type { ScreenWorker } from "./screen-lane.ts";

/** How a Terminal's Screen is kept. */
export interface LiveScreenOptions {
  readonly size: Size;
  readonly source: ScreenSource;
  /** Gets what is to be typed into the terminal as the answer to a query; must not throw. */
  handleReply(reply: Uint8Array<ArrayBuffer>): void;
  /** Gets the screen as it was drawn now and then; in a flood that may be long after it was written. */
  handleCheckpoint?(saved: SavedScreen): void;
  /** Lines above the screen that are kept. */
  readonly scrollback: number;
  /** Queries up to and including this sequence were answered before, by another process. */
  readonly answeredThrough: number;
  /** Whether the first change that is written is the first there is, so that nothing has to be read before it. */
  readonly isNew: boolean;
}

/** Where a screen is drawn. */
export interface LiveScreenDeps {
  readonly worker: ScreenWorker;
  /** What may wait for all screens. */
  readonly budget: QueueBudget;
  /** Asks for the place of an emulator; `wake` is called when there is one. */
  acquire(): void;
  /** Gives the place back. */
  release(): void;
  /** The screen has nothing to do at the moment. */
  handleIdle(): void;
  /** It is over. */
  handleDisposed(): void;
}
