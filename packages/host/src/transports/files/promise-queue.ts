/** Does one thing after the other, in the order in which they were asked for; one that fails stops no other. */
export class PromiseQueue {
  #last: Promise<unknown> = Promise.resolve();

  /** Does this when everything before it is done. */
  async run<Value>(run: () => Promise<Value>): Promise<Value> {
    const turn = this.#last.then(run);
    // Whoever asked for it hears of its failure; the next one only has to know that it is over.
    this.#last = turn.catch(() => undefined);
    return await turn;
  }
}
