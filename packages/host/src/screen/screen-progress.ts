import { outputByteLength, type ScreenChange } from "./screen-change.ts";

/** How far a screen has come: which changes were written, sent to be drawn, and drawn. */
export class ScreenProgress {
  #written = 0;
  #sent = 0;
  #drawn = 0;
  #lagBytes = 0;

  /** The last change that was written. */
  get written(): number {
    return this.#written;
  }

  /** The last change that the present drawing has. */
  get sent(): number {
    return this.#sent;
  }

  /** Bytes that were written and are not drawn yet. */
  get lagBytes(): number {
    return this.#lagBytes;
  }

  /** Whether nothing written is left to be drawn. */
  get isDone(): boolean {
    return this.#drawn >= this.#written;
  }

  /** Notes a change; false when the drawing has it already. */
  noteWritten(change: ScreenChange): boolean {
    const { sequence } = change;
    if (sequence <= this.#written) return false;
    this.#written = sequence;
    if (sequence <= this.#sent) return false;
    this.#lagBytes += outputByteLength(change);
    return true;
  }

  /** Notes what the drawing has; less than before when it was begun anew. */
  noteSent(sequence: number): void {
    this.#sent = sequence;
  }

  /** Notes that a change is drawn; those that are drawn once more count once. */
  noteDrawn(sequence: number, bytes: number): void {
    if (sequence > this.#drawn && sequence <= this.#written) this.#lagBytes -= bytes;
    this.#drawn = Math.max(this.#drawn, sequence);
    // What came from the source before it was written was never counted.
    if (this.#lagBytes < 0 || this.isDone) this.#lagBytes = 0;
  }
}
