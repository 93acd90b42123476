/** How often the kernel is asked for more in one turn of the event loop, by all terminals together: about a millisecond. */
const READS_PER_TURN = 16;

/** Shares the turns of the event loop among terminals that flood, so that many of them do not hold up who types. */
export class ReadTurns {
  #flooding = 1;
  #count = 0;

  /** How often a terminal that floods may read on now. */
  take(): number {
    if (this.#count++ === 0) {
      setImmediate(() => {
        this.#flooding = this.#count;
        this.#count = 0;
      });
    }
    // One read was made to find out that it floods.
    return Math.max(0, Math.floor(READS_PER_TURN / this.#flooding) - 1);
  }
}
