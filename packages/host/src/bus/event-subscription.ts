import type {
  EntityEventEnvelope,
  EntityEventsMessage,
  TerminalOwnerReference,
} from "@nacre/contracts";

/** What an object or an array costs beside what is in it. */
const NODE_BYTES = 32;
/** What a number, a boolean or nothing costs. */
const SCALAR_BYTES = 8;

/** About how much memory a plain JSON value takes; text counts one byte per character, which is right for most of it. */
export function approximateBytes(value: unknown): number {
  if (typeof value === "string") return value.length + SCALAR_BYTES;
  if (typeof value !== "object" || value === null) return SCALAR_BYTES;
  let bytes = NODE_BYTES;
  for (const part of Object.values(value)) bytes += approximateBytes(part);
  return bytes;
}

/** A listener with more events waiting than these missed them for people already; it reads anew instead. */
export const MAX_QUEUED_EVENTS = 1024;

/** About how much may wait for one listener, so that listeners that do not read hold no memory. */
export const MAX_QUEUED_EVENT_BYTES = 4 * 1024 * 1024;

/** An event with what it costs to keep, and whose it is. */
export interface SizedEvent {
  readonly envelope: EntityEventEnvelope;
  readonly bytes: number;
  /** The owner of the terminal it is about, when it was published: another terminal may have the same id later. */
  readonly owner: TerminalOwnerReference | undefined;
}

/** What waits for a listener: an event, or the reason why it has to read anew before the next one. */
type QueuedMessage = SizedEvent | { readonly resync: string };

/** The events one listener hears, to be read by one loop; a listener that falls behind gets one `resync` and goes on from there. */
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

  /** Hands an event to the listener, now or when it reads; never waits for it. */
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

  /** Tells the listener, behind what waits for it, that it missed something and has to read anew. */
  resync(reason: string): void {
    const last = this.#queue.at(-1);
    if (this.#isClosed || (last && "resync" in last)) return;
    this.#queue.push({ resync: reason });
    this.#serve();
  }

  /** Messages come to an end when the subscription is disposed of, or the loop is left. */
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
