import type { Wire, WireMessage } from "./wire.ts";

/** Of thousands of small messages, this many before others get a turn. */
const MESSAGES_PER_TURN = 64;

/** The same for slow messages, such as lists with thousands of mistakes. */
const MAX_TURN_MS = 10;

const TURN = "turn";

/** Received messages that are not handled yet; while it is held, nothing more is read. */
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

  /** A paused wire may still deliver some. */
  readonly push = (message: WireMessage): void => {
    if (this.#reasons.size > 0 || !this.isEmpty) this.#waiting.push(message);
    else this.#handleOne(message);
  };

  /** Until the reason is released. */
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
