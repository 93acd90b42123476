/** Numbers everything that a host tells, over all channels; each number is given once. */
export class ServerSeq {
  #last = 1;

  /** The last one given; 1 before any, as clients take 0 for having seen nothing. */
  get last(): number {
    return this.#last;
  }

  next(): number {
    return ++this.#last;
  }
}
