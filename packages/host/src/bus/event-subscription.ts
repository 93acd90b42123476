import type {
  EntityEventEnvelope,
  EntityEventsMessage,
  TerminalOwnerReference,
} from "@nacre/contracts";

/** Overhead of an object or an array. */
const NODE_BYTES = 32;
/** Cost of a number, a boolean or null. */
const SCALAR_BYTES = 8;

/** Estimated memory of a JSON value; counts one byte per character. */
export function approximateBytes(value: unknown): number {
  if (typeof value === "string") return value.length + SCALAR_BYTES;
  if (typeof value !== "object" || value === null) return SCALAR_BYTES;
  let bytes = NODE_BYTES;
  for (const part of Object.values(value)) bytes += approximateBytes(part);
  return bytes;
}

/** A listener this far behind is resynchronised instead. */
export const MAX_QUEUED_EVENTS = 1024;

/** Bounds the memory of listeners that do not read. */
export const MAX_QUEUED_EVENT_BYTES = 4 * 1024 * 1024;

export interface SizedEvent {
  readonly envelope: EntityEventEnvelope;
  readonly bytes: number;
  /** Owner at the time of publishing: another terminal may get the same id later. */
  readonly owner: TerminalOwnerReference | undefined;
}

/** An event, or the reason for a `resync`. */
type QueuedMessage = SizedEvent | { readonly resync: string };

/**
 * The queue of one listener, read by one loop. A listener that falls behind gets one `resync` and continues from there.
 */
export class EventSubscription implements AsyncIterable<EntityEventsMessage>, Disposable {
  readonly #onClose: () => void;
  #queue: QueuedMessage[] = [];
  #queuedBytes = 0;
  #waiting: ((result: IteratorResult<EntityEventsMessage, undefined>) => void) | undefined;
  #isClosed = false;

  constructor(onClose: () => void) {
    this.#onClose = onClose;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Never waits for the listener. */
  push(event: SizedEvent): void {
    if (this.#isClosed) return;
    const isFull =
      this.#queue.length >= MAX_QUEUED_EVENTS ||
      (this.#queue.length > 0 && this.#queuedBytes + event.bytes > MAX_QUEUED_EVENT_BYTES);
    if (isFull) {
      this.#queue = [{ resync: "the listener fell behind" }];
      this.#queuedBytes = 0;
    }
    this.#queue.push(event);
    this.#queuedBytes += event.bytes;
    this.#serve();
  }

  /** Queues a `resync` behind what is already waiting. */
  resync(reason: string): void {
    const last = this.#queue.at(-1);
    if (this.#isClosed || (last && "resync" in last)) return;
    this.#queue.push({ resync: reason });
    this.#serve();
  }

  /** Ends when the subscription is disposed of or the loop is left. */
  [Symbol.asyncIterator](): AsyncIterator<EntityEventsMessage, undefined> {
    return {
      next: () => this.#next(),
      return: () => {
        this[Symbol.dispose]();
        return Promise.resolve({ done: true, value: undefined });
      },
    };
  }

  [Symbol.dispose](): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#queue = [];
    this.#queuedBytes = 0;
    this.#serve();
    this.#onClose();
  }

  #next(): Promise<IteratorResult<EntityEventsMessage, undefined>> {
    if (this.#waiting) throw new Error("a subscription is read by one loop, one call at a time");
    return new Promise((resolve) => {
      this.#waiting = resolve;
      this.#serve();
    });
  }

  #serve(): void {
    const waiting = this.#waiting;
    if (!waiting) return;
    const message = this.#take();
    if (message === undefined && !this.#isClosed) return;
    this.#waiting = undefined;
    waiting(
      message === undefined ? { done: true, value: undefined } : { done: false, value: message },
    );
  }

  #take(): EntityEventsMessage | undefined {
    if (this.#isClosed) return undefined;
    const next = this.#queue.shift();
    if (next === undefined) return undefined;
    if ("resync" in next) return { type: "resync", reason: next.resync };
    this.#queuedBytes -= next.bytes;
    return { type: "event", event: next.envelope };
  }
}
