/** Longer numbers name nothing that matters here; what has more digits need not be kept. */
const MAX_DIGITS = 5;

/** Reads the number at the beginning of an operating system command that comes in parts, as terminals read it. */
export class OscNumber {
  #digits = "";
  #isComplete = false;

  /** The number; undefined when there is none, or one that nobody uses. */
  get value(): number | undefined {
    return /^\d{1,5}$/.test(this.#digits) ? Number(this.#digits) : undefined;
  }

  /** Takes the next part of the command, one character per byte. */
  push(text: string): void {
    if (this.#isComplete) return;
    const semicolon = text.indexOf(";");
    const name = semicolon < 0 ? text : text.slice(0, semicolon);
    // Terminals drop control characters and invalid bytes, and see the number all the same.
    this.#digits = (this.#digits + name.replace(/[^ -~]/g, "")).replace(/^0+(?=\d)/, "");
    this.#isComplete = semicolon >= 0 || this.#digits.length > MAX_DIGITS;
  }
}

/** Tells whether a number is one of the two under which shells send Markers. */
export const isMarkerNumber = (number: number | undefined): number is 133 | 633 =>
  number === 133 || number === 633;
