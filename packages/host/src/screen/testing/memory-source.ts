import type { Size } from "@nacre/contracts";
import type { LiveScreen } from "../live-screen.ts";
import type { SavedScreen, ScreenChange, ScreenSource } from "../screen-change.ts";

/** A recording in memory; what is recorded is also written to the screen. */
export class MemorySource implements ScreenSource {
  readonly changes: ScreenChange[] = [];
  saved: SavedScreen | undefined;
  /** How often the screen read the recorded changes. */
  reads = 0;
  #sequence = 0;

  start(): Promise<SavedScreen | undefined> {
    return Promise.resolve(this.saved);
  }

  async *changesAfter(sequence: number): AsyncGenerator<ScreenChange> {
    this.reads++;
    for (let at = 0; at < this.changes.length; at++) {
      // Pages, so that others get their turn.
      if (at % 64 === 0) await new Promise(setImmediate);
      const change = this.changes[at];
      if (change && change.sequence > sequence) yield change;
    }
  }

  output(screen: LiveScreen | undefined, data: string | Uint8Array<ArrayBuffer>): number {
    const bytes = typeof data === "string" ? new TextEncoder().encode(data) : data;
    return this.record(screen, { kind: "output", bytes, sequence: this.#next() });
  }

  resize(screen: LiveScreen | undefined, size: Size): number {
    return this.record(screen, { kind: "resize", size, sequence: this.#next() });
  }

  clear(screen: LiveScreen | undefined): number {
    return this.record(screen, { kind: "clear", sequence: this.#next() });
  }

  record(screen: LiveScreen | undefined, change: ScreenChange): number {
    this.changes.push(change);
    screen?.write(change);
    return change.sequence;
  }

  /** Other entries have sequences, too. */
  #next(): number {
    this.#sequence += 2;
    return this.#sequence;
  }
}
