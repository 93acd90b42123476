// Virtual time: one queue of events for everything that happens in a run. What is not in it does not happen.
import { seededRandom } from "../support/random.ts";

/** A process of the simulated machine, or a thread of one; what a killed one had planned never happens. */
export class SimProcess {
  readonly #parent: SimProcess | undefined;
  #isKilled = false;

  constructor(parent?: SimProcess) {
    this.#parent = parent;
  }

  get isAlive(): boolean {
    return !this.#isKilled && this.#parent?.isAlive !== false;
  }

  kill(): void {
    this.#isKilled = true;
  }
}

/** Something that happens at a time, unless it is cancelled or its process is gone. */
export interface SimEvent {
  at: number;
  order: number;
  run: (() => void) | undefined;
  readonly owner: SimProcess;
}

/** Runs all microtasks and ticks that wait; only Node itself has a public way to do that, between two events of its own loop. */
const drain: () => void = Reflect.get(process, "_tickCallback").bind(process);

/** The events of one run, in the order of their time and then of their planning. */
export class Scheduler {
  readonly random: () => number;
  /** The process whose event runs now: what it plans is its own. */
  current = new SimProcess();
  readonly #heap: SimEvent[] = [];
  #nowMs = 1000;
  #wallOffsetMs = Date.UTC(2026, 0, 31);
  #lastOrder = 0;
  #eventCount = 0;

  constructor(seed: number) {
    this.random = seededRandom(seed);
  }

  /** By the clock that never jumps. */
  get nowMs(): number {
    return this.#nowMs;
  }

  /** By the clock on the wall. */
  get wallMs(): number {
    return Math.floor(this.#nowMs + this.#wallOffsetMs);
  }

  get eventCount(): number {
    return this.#eventCount;
  }

  /** The clock on the wall jumps. */
  jump(byMs: number): void {
    this.#wallOffsetMs += byMs;
  }

  /** A number from `least` to `most`. */
  between(least: number, most: number): number {
    return least + Math.floor(this.random() * (most - least + 1));
  }

  chance(probability: number): boolean {
    return this.random() < probability;
  }

  pick<Item>(items: readonly Item[]): Item {
    return items[Math.floor(this.random() * items.length)]!;
  }

  /** Plans an event; it belongs to the process that plans it, or to the one that is named. */
  after(delayMs: number, run: () => void, owner = this.current): SimEvent {
    const at = this.#nowMs + Math.max(0, delayMs);
    const event = { at, order: ++this.#lastOrder, run, owner };
    this.#push(event);
    return event;
  }

  /** Lets so much time pass. `isOver` is asked after each event and ends it. */
  pass(durationMs: number, isOver: () => boolean): void {
    const end = this.#nowMs + durationMs;
    for (let next = this.#heap[0]; next && next.at <= end; next = this.#heap[0]) {
      this.#pop();
      const { run, owner } = next;
      if (!run || !owner.isAlive) continue;
      next.run = undefined;
      this.#nowMs = next.at;
      this.enter(owner, run);
      if (isOver()) return;
    }
    this.#nowMs = end;
  }

  /** Does something as a process does it: to the end of everything that waits for nothing. */
  enter(owner: SimProcess, run: () => void): void {
    this.#eventCount++;
    this.current = owner;
    run();
    drain();
  }

  /** What a process still has planned. */
  planned(owner: SimProcess): number {
    return this.#heap.filter((event) => event.run && event.owner === owner).length;
  }

  #push(event: SimEvent): void {
    const heap = this.#heap;
    let place = heap.push(event) - 1;
    while (place > 0) {
      const above = (place - 1) >> 1;
      const parent = heap[above]!;
      if (!isBefore(event, parent)) break;
      heap[place] = parent;
      place = above;
    }
    heap[place] = event;
  }

  #pop(): void {
    const heap = this.#heap;
    const last = heap.pop();
    if (!last || heap.length === 0) return;
    let place = 0;
    for (;;) {
      let below = 2 * place + 1;
      const left = heap[below];
      if (!left) break;
      const right = heap[below + 1];
      if (right && isBefore(right, left)) below++;
      const child = heap[below]!;
      if (!isBefore(child, last)) break;
      heap[place] = child;
      place = below;
    }
    heap[place] = last;
  }
}

const isBefore = (one: SimEvent, other: SimEvent): boolean =>
  one.at < other.at || (one.at === other.at && one.order < other.order);
