import type { Wire, WireMessage } from "./wire.ts";

/** Thousands of small messages may come at once; after so many of them others have a turn. */
const MESSAGES_PER_TURN = 64;

/** And so they have after messages that took this long, such as lists with thousands of mistakes. */
const MAX_TURN_MS = 10;

/** The reason not to look at more messages until then. */
const TURN = "turn";

/** What came from a client and is not looked at yet: for some reason it is not its turn, and then nothing more is read. */
export class Inbox {
  readonly #wire: Pick<Wire, "pause" | "resume">;
  readonly #handle: (message: WireMessage) => void;
  readonly #waiting: WireMessage[] = [];
  readonly #reasons = new Set<string>();
  #left = MESSAGES_PER_TURN;
  #spentMs = 0;

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
    else this.#handleOne(message);
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
      this.#handleOne(message);
    }
    if (this.#reasons.size === 0) this.#wire.resume();
  }

  /** Forgets everything. */
  clear(): void {
    this.#waiting.length = 0;
  }

  #handleOne(message: WireMessage): void {
    const startedAt = performance.now();
    this.#handle(message);
    this.#left--;
    this.#spentMs += performance.now() - startedAt;
    if (this.#left <= 0 || this.#spentMs > MAX_TURN_MS) this.#yield();
  }

  /** Goes on in another turn. */
  #yield(): void {
    if (this.#reasons.has(TURN)) return;
    this.hold(TURN);
    setImmediate(() => {
      this.#left = MESSAGES_PER_TURN;
      this.#spentMs = 0;
      this.release(TURN);
    });
  }
}
