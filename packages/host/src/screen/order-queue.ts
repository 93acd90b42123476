import type { ReplicaOrder } from "./screen-wire.ts";
import { type PlainLines, countPlainLines } from "./skim.ts";

/** Less is no flood, and is drawn at once. */
const LARGE_BYTES = 16 * 1024;

const OTHER: PlainLines = { lines: 0, isPlain: false };

interface QueuedOrder {
  readonly order: ReplicaOrder;
  /** Looked at when somebody asks. */
  plain?: PlainLines;
}

/** What one drawing has to do, in order. */
export class OrderQueue {
  #queued: QueuedOrder[] = [];

  get length(): number {
    return this.#queued.length;
  }

  get isEmpty(): boolean {
    return this.#queued.length === 0;
  }

  push(order: ReplicaOrder): void {
    this.#queued.push({ order });
  }

  /** The next order, and how many plain lines come right behind it, as far as they are of interest. */
  shift(maxLines: number): { readonly order: ReplicaOrder; readonly followed: number } | undefined {
    const first = this.#queued.shift();
    if (!first) return undefined;
    const isPlain = orderByteLength(first.order) >= LARGE_BYTES && classify(first).isPlain;
    return { order: first.order, followed: isPlain ? this.#countLines(maxLines) : 0 };
  }

  /** Whether there is nothing but a flood, of which nothing would be left out yet. */
  isWorthWaiting(maxLines: number): boolean {
    const isFlood = this.#queued.every((one) => orderByteLength(one.order) >= LARGE_BYTES);
    if (!isFlood || !this.#queued.every((one) => classify(one).isPlain)) return false;
    const [first] = this.#queued;
    const neededLines = maxLines + (first ? classify(first).lines : 0);
    return this.#countLines(neededLines) < neededLines;
  }

  #countLines(maxLines: number): number {
    let count = 0;
    for (const one of this.#queued) {
      const { lines, isPlain } = classify(one);
      count += lines;
      if (!isPlain || count >= maxLines) break;
    }
    return count;
  }
}

const orderByteLength = (order: ReplicaOrder): number =>
  order.kind === "change" && order.change.kind === "output" ? order.change.bytes.byteLength : 0;

function classify(queued: QueuedOrder): PlainLines {
  const { order } = queued;
  const isOutput = order.kind === "change" && order.change.kind === "output";
  queued.plain ??= isOutput ? countPlainLines(order.change.bytes) : OTHER;
  return queued.plain;
}
