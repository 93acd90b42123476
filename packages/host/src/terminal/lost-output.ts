/** Output that was not recorded, from one offset to another. */
interface LostRange {
  readonly start: number;
  readonly end: number;
}

/** The output of one Terminal that was rejected, until a gap stands for it in the recording or it is found there. */
export class LostOutput {
  #lost: LostRange[] = [];
  /** What was handed over when a gap of unknown size was recorded: whatever is missing of it, that gap says so. */
  #coveredOffset = 0;

  get isEmpty(): boolean {
    return this.#lost.length === 0;
  }

  /** Where the first of it begins. */
  get firstOffset(): number {
    return this.#lost[0]?.start ?? Number.POSITIVE_INFINITY;
  }

  /** Output was rejected; with a recorder that ended, nobody knows whether it is there. */
  add({ start, end, isUnknown }: LostRange & { readonly isUnknown: boolean }): void {
    if (isUnknown && end <= this.#coveredOffset) return;
    const last = this.#lost.at(-1);
    if (last?.end === start) this.#lost.splice(-1, 1, { start: last.start, end });
    else this.#lost.push({ start, end });
  }

  /** A gap was recorded while so much was handed over; returns the end of what it stands for. */
  noteGap(lostBytes: number | null, handedOver: number): number | undefined {
    if (lostBytes === null) this.#coveredOffset = handedOver;
    let left = lostBytes ?? Number.POSITIVE_INFINITY;
    let covered: number | undefined;
    for (let first = this.#lost[0]; first && left > 0; first = this.#lost[0]) {
      covered = Math.min(first.end, first.start + left);
      left -= covered - first.start;
      if (covered === first.end) this.#lost.shift();
      else this.#lost[0] = { start: covered, end: first.end };
    }
    return covered;
  }

  /** Output is recorded; tells whether it was believed lost. */
  noteFound(start: number, end: number): boolean {
    const overlaps = (one: LostRange): boolean => one.start < end && start < one.end;
    if (!this.#lost.some(overlaps)) return false;
    this.#lost = this.#lost.flatMap((one) => {
      if (!overlaps(one)) return [one];
      const rest = [
        { start: one.start, end: start },
        { start: end, end: one.end },
      ];
      return rest.filter((part) => part.start < part.end);
    });
    return true;
  }
}
