/** How far a feed was taken, for those who wait for an entry of it. */
export class FeedPosition {
  #sequence: number;
  #isOver = false;
  #waiting: { readonly sequence: number; readonly resolve: () => void }[] = [];

  constructor(sequence: number) {
    this.#sequence = sequence;
  }

  /** The last entry that was taken. */
  get sequence(): number {
    return this.#sequence;
  }

  /** Whether nothing more comes. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** Resolves when everything up to an entry was taken, or nothing more comes. */
  async reached(sequence: number): Promise<void> {
    if (this.#isOver || this.#sequence >= sequence) return;
    await new Promise<void>((resolve) => {
      this.#waiting.push({ sequence, resolve });
    });
  }

  moveTo(sequence: number): void {
    this.#sequence = sequence;
    if (this.#waiting.length > 0) this.#wake();
  }

  end(): void {
    this.#isOver = true;
    this.#wake();
  }

  #wake(): void {
    const waiting = this.#waiting;
    const isDue = (sequence: number): boolean => this.#isOver || sequence <= this.#sequence;
    this.#waiting = waiting.filter(({ sequence }) => !isDue(sequence));
    for (const { sequence, resolve } of waiting) if (isDue(sequence)) resolve();
  }
}
