import type { Size } from "@nacre/contracts";
import { type RenderedLine, TextRenderer } from "@nacre/host/text";

/** What terminals have that nobody gave another size. */
const INITIAL_SIZE: Size = { cols: 80, rows: 24 };

/** One line, and when it was written last. */
export interface LogLine {
  readonly at: string;
  readonly text: string;
}

/** Makes the lines that people read of what a program wrote. */
export class LogLines {
  readonly #renderer = new TextRenderer({
    size: INITIAL_SIZE,
    reading: { alternate: "notice", isFromStart: true },
  });
  #atMs = 0;

  resize(size: Size): void {
    this.#renderer.resize(size);
  }

  /** Takes what was written at a time; the lines that cannot change any more. */
  push(bytes: Uint8Array, at: string): readonly LogLine[] {
    this.#atMs = Math.max(this.#atMs, Date.parse(at));
    this.#renderer.write(bytes, this.#atMs);
    return this.#take();
  }

  /** The lines above the cursor, for who cannot wait until they are off the screen; they are not changed later. */
  settle(): readonly LogLine[] {
    this.#renderer.finishAbove();
    return this.#take();
  }

  /** What is left on the screen. */
  finish(): readonly LogLine[] {
    this.#renderer.flush();
    const lines = [...this.#take(), ...this.#linesOf(this.#renderer.current())];
    // Behind the last line feed there is no line.
    return lines.at(-1)?.text === "" ? lines.slice(0, -1) : lines;
  }

  #take(): readonly LogLine[] {
    return this.#linesOf(this.#renderer.takeFinal());
  }

  #linesOf(lines: readonly RenderedLine[]): readonly LogLine[] {
    return lines.map(({ text, carry, last }) => ({
      at: new Date(last || this.#atMs).toISOString(),
      text: text.slice(carry),
    }));
  }
}
