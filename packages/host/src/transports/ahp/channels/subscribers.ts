import type { Subscriber } from "./channel.ts";
import type { Envelope } from "./envelope.ts";

/** Who follows one channel, each by the names that it asked for. */
export class Subscribers {
  readonly #joined = new Map<Subscriber, Set<string>>();
  readonly #handleProblem: (error: unknown) => void;

  constructor(handleProblem: (error: unknown) => void) {
    this.#handleProblem = handleProblem;
  }

  get count(): number {
    return this.#joined.size;
  }

  get isEmpty(): boolean {
    return this.#joined.size === 0;
  }

  /** Adds a name of a subscriber; adding it again changes nothing. */
  add(subscriber: Subscriber, uri: string): void {
    const names = this.#joined.get(subscriber);
    if (names) names.add(uri);
    else this.#joined.set(subscriber, new Set([uri]));
  }

  remove(subscriber: Subscriber, uri: string): void {
    const names = this.#joined.get(subscriber);
    names?.delete(uri);
    if (names?.size === 0) this.#joined.delete(subscriber);
  }

  /** The names by which a subscriber follows the channel; none when it does not. */
  namesOf(subscriber: Subscriber): readonly string[] {
    return [...(this.#joined.get(subscriber) ?? [])];
  }

  /** Offers an envelope to all; who fails costs the others nothing. */
  offer(envelope: Envelope): void {
    for (const [subscriber, names] of this.#joined) {
      for (const name of names) {
        try {
          subscriber.offer(envelope, name);
        } catch (error) {
          this.#handleProblem(error);
        }
      }
    }
  }

  clear(): void {
    this.#joined.clear();
  }
}
