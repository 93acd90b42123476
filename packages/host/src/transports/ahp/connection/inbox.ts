import type { Wire, WireMessage } from "./wire.ts";

/** What came from a client and is not looked at yet: for some reason it is not its turn, and then nothing more is read. */
export class Inbox {
  readonly #wire: Pick<Wire, "pause" | "resume">;
  readonly #handle: (message: WireMessage) => void;
  readonly #waiting: WireMessage[] = [];
  readonly #reasons = new Set<string>();

  constructor(wire: Pick<Wire, "pause" | "resume">, handle: (message: WireMessage) => void) {
    this.#wire = wire;
    this.#handle = handle;
  }

  get isEmpty(): boolean {
    return this.#waiting.length === 0;
  }

  /** Takes a message; a wire that is paused may still have some. */
  readonly push = (message: WireMessage): void => {
    if (this.#reasons.size > 0 || !this.isEmpty) this.#waiting.push(message);
    else this.#handle(message);
  };

  /** Nothing is looked at until the reason is gone. */
  hold(reason: string): void {
    this.#reasons.add(reason);
    this.#wire.pause();
  }

  release(reason: string): void {
    if (!this.#reasons.delete(reason)) return;
    while (this.#reasons.size === 0) {
      const message = this.#waiting.shift();
      if (!message) break;
      this.#handle(message);
    }
    if (this.#reasons.size === 0) this.#wire.resume();
  }

  /** Forgets everything. */
  clear(): void {
    this.#waiting.length = 0;
  }
}
