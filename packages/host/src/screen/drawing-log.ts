import type { Size } from "@nacre/contracts";
import { Emulator, type EmulatorHooks } from "./emulator.ts";
import { outputByteLength, type ScreenChange } from "./screen-change.ts";

/** More than this takes too long to draw again. */
const MAX_BYTES = 2 * 1024 * 1024;

/** The same where nothing waits, so that time is there for a checkpoint. */
const EASY_BYTES = 512 * 1024;

/** The same for many small changes. */
const MAX_CHANGES = 4096;

/** What a clear does. */
const CLEAR = new TextEncoder().encode("\u001b[H\u001b[2J\u001b[3J");

/** Where a drawing began. */
export interface Checkpoint {
  readonly size: Size;
  /** Nothing means an empty screen. */
  readonly bytes: Uint8Array | undefined;
}

/** The last checkpoint of a drawing and what was drawn since, so that it can be drawn again. */
export class ReplayLog {
  readonly #scrollback: number;
  #checkpoint: Checkpoint;
  #changes: ScreenChange[] = [];
  #bytes = 0;

  constructor(checkpoint: Checkpoint, scrollback: number) {
    this.#checkpoint = checkpoint;
    this.#scrollback = scrollback;
  }

  /** Begins anew from here. */
  reset(checkpoint: Checkpoint): void {
    this.#checkpoint = checkpoint;
    this.#changes = [];
    this.#bytes = 0;
  }

  add(change: ScreenChange): void {
    this.#changes.push(change);
    this.#bytes += outputByteLength(change);
  }

  /** Whether so much was drawn that it is time for a checkpoint. */
  isDue(isQuiet: boolean): boolean {
    if (this.#changes.length > MAX_CHANGES) return true;
    return this.#bytes > (isQuiet ? EASY_BYTES : MAX_BYTES);
  }

  /** An emulator at the checkpoint; throws when that is not a snapshot. */
  restore(hooks: EmulatorHooks): Emulator {
    const { size, bytes } = this.#checkpoint;
    if (bytes) return Emulator.load(bytes, hooks);
    return new Emulator({ size, scrollback: this.#scrollback, ...hooks });
  }

  /** Draws everything since the checkpoint. */
  replay(emulator: Emulator): void {
    for (const change of this.#changes) applyChange(emulator, change);
  }
}

/** Applies a change at once. */
export function applyChange(emulator: Emulator, change: ScreenChange): void {
  switch (change.kind) {
    case "resize":
      return emulator.resize(change.size);
    case "clear":
      return emulator.writeAll(CLEAR);
    case "output":
      return emulator.writeAll(change.bytes);
  }
}
