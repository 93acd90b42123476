/** Ids of requests that are remembered although somebody removed their answers. */
const MAX_OVER = 4096;

/** Which requests were taken: those that are not over are never forgotten, of the others the newest. */
export class RequestIds {
  readonly #pending = new Set<string>();
  readonly #over = new Set<string>();

  /** Whether a request of this id was taken and is not over. */
  isPending(id: string): boolean {
    return this.#pending.has(id);
  }

  /** Whether a request of this id is over. */
  isOver(id: string): boolean {
    return this.#over.has(id);
  }

  /** A request was taken. */
  take(id: string): void {
    this.#pending.add(id);
  }

  /** A request is over; it is not done again. */
  end(id: string): void {
    this.#pending.delete(id);
    this.#over.add(id);
    if (this.#over.size <= MAX_OVER) return;
    for (const oldest of this.#over) {
      this.#over.delete(oldest);
      break;
    }
  }

  /** A request was neither done nor answered: whoever writes it again asks anew. */
  forget(id: string): void {
    this.#pending.delete(id);
  }
}
