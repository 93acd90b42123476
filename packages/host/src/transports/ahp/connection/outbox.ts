import type { ConnectionLimits } from "./connection-limits.ts";
import { CLOSE, type MessageFrame, type Wire } from "./wire.ts";

/** Overhead of a queued frame. */
const FRAME_OVERHEAD_BYTES = 128;

/** Fewer are not worth compacting. */
const MIN_DONE_FRAMES = 256;

export interface ChannelQueue {
  /** Parts were left out: nothing more is sent until it is resynchronised. */
  isBehind: boolean;
}

/** Serialised when its turn comes. */
export interface Sendable {
  readonly bytes: number;
  readonly makeFrame: () => MessageFrame;
}

export interface OutboxEvents {
  /** Too many answers are queued, or no longer. */
  handlePressure(isHigh: boolean): void;
  /** Queued frames of this channel were dropped. */
  handleBehind(lane: ChannelQueue): void;
  /** Little is in flight; called often. */
  handleCalm(): void;
  handleProblem(error: unknown): void;
}

type FrameClass = "answer" | "own" | "lane";

interface QueuedFrame {
  readonly keeping: FrameClass;
  readonly lane?: ChannelQueue | undefined;
  readonly bytes: number;
  /** Undefined: dropped. */
  makeFrame: (() => MessageFrame) | undefined;
}

/** Replaces a sent frame, which may have been megabytes, until compaction. */
const SENT: QueuedFrame = { keeping: "answer", bytes: 0, makeFrame: undefined };

/** The send queue of one client: ordered, with bounded memory whether the client reads or not. */
export class Outbox implements Disposable {
  readonly #wire: Wire;
  readonly #limits: ConnectionLimits;
  readonly #events: OutboxEvents;
  #queue: QueuedFrame[] = [];
  #next = 0;
  #droppedCount = 0;
  readonly #waiting: Record<FrameClass, number> = { answer: 0, own: 0, lane: 0 };
  #inFlightBytes = 0;
  #isHigh = false;
  #waitingForRoom: (() => void)[] = [];
  #isPumping = false;
  #ending: { readonly code: number; readonly reason: string } | undefined;
  #isOver = false;

  constructor(wire: Wire, limits: ConnectionLimits, events: OutboxEvents) {
    this.#wire = wire;
    this.#limits = limits;
    this.#events = events;
  }

  /** Without what the network is about to take. */
  get waitingBytes(): number {
    const { answer, own, lane } = this.#waiting;
    return answer + own + lane;
  }

  get isEnding(): boolean {
    return this.#isOver || this.#ending !== undefined;
  }

  /** Resolves when there is room for more answers, or nobody to send them to. */
  async room(): Promise<void> {
    while (this.#isHigh && !this.#isOver) {
      await new Promise<void>((resolve) => this.#waitingForRoom.push(resolve));
    }
  }

  answer(frame: MessageFrame): void {
    this.#add({ keeping: "answer", bytes: frame.length, makeFrame: () => frame });
  }

  /** Effects of the client's own actions; never dropped. */
  sendOwn({ bytes, makeFrame }: Sendable): void {
    this.#add({ keeping: "own", bytes, makeFrame });
    if (this.#waiting.own > this.#limits.ownBytes) this.#closeOverloaded();
  }

  /** Ignored while the channel is behind. */
  send(lane: ChannelQueue, { bytes, makeFrame }: Sendable): void {
    if (lane.isBehind) return;
    this.#add({ keeping: "lane", lane, bytes, makeFrame });
    if (this.#waiting.lane > this.#limits.waitingBytes) this.#dropBusiest();
  }

  /** Replaces everything of the channel that still waits. */
  replace(lane: ChannelQueue, sendable: Sendable): void {
    this.forget(lane);
    this.send(lane, sendable);
  }

  forget(lane: ChannelQueue): void {
    for (let at = this.#next; at < this.#queue.length; at++) {
      const waiting = this.#queue[at];
      if (waiting?.lane === lane) this.#drop(waiting);
    }
    this.#compact();
  }

  checkCalm(): void {
    this.#pump();
  }

  /** After everything queued is sent; nothing more is accepted. */
  end(code: number, reason: string): void {
    this.#ending ??= { code, reason };
    this.#pump();
  }

  [Symbol.dispose](): void {
    this.#isOver = true;
    this.#queue = [];
    this.#next = 0;
    this.#wakeWaiters();
  }

  #add(waiting: QueuedFrame): void {
    if (this.#isOver || this.#ending) return;
    const bytes = waiting.bytes + FRAME_OVERHEAD_BYTES;
    this.#waiting[waiting.keeping] += bytes;
    this.#queue.push({ ...waiting, bytes });
    this.#pump();
    this.#updatePressure();
  }

  #pump(): void {
    // A wire may report synchronously.
    if (this.#isPumping || this.#isOver) return;
    this.#isPumping = true;
    while (this.#inFlightBytes < this.#limits.inFlightBytes && this.#sendNext());
    this.#isPumping = false;
    this.#updatePressure();
    if (this.#next < this.#queue.length || this.#isOver) return;
    if (this.#ending) {
      this.#isOver = true;
      this.#wire.close(this.#ending.code, this.#ending.reason);
    } else if (this.#inFlightBytes <= this.#limits.calmBytes) {
      this.#events.handleCalm();
    }
  }

  /** False when empty. */
  #sendNext(): boolean {
    const waiting = this.#queue[this.#next];
    if (!waiting) return false;
    this.#queue[this.#next] = SENT;
    this.#next++;
    const { makeFrame, keeping, bytes } = waiting;
    if (!makeFrame) this.#droppedCount--;
    this.#compact();
    if (!makeFrame) return true;
    this.#waiting[keeping] -= bytes;
    this.#inFlightBytes += bytes;
    try {
      this.#wire.send(makeFrame(), () => {
        this.#inFlightBytes -= bytes;
        this.#pump();
      });
    } catch (error) {
      this.#inFlightBytes -= bytes;
      this.#events.handleProblem(error);
    }
    return true;
  }

  #drop(waiting: QueuedFrame): void {
    if (!waiting.makeFrame) return;
    waiting.makeFrame = undefined;
    this.#waiting[waiting.keeping] -= waiting.bytes;
    this.#droppedCount++;
  }

  /** Drops the channels with the most bytes until half of the room is free. */
  #dropBusiest(): void {
    const bytes = new Map<ChannelQueue, number>();
    for (const { lane, bytes: size, makeFrame } of this.#queue.slice(this.#next)) {
      if (lane && makeFrame) bytes.set(lane, (bytes.get(lane) ?? 0) + size);
    }
    for (const [lane] of [...bytes].toSorted(([, one], [, other]) => other - one)) {
      if (this.#waiting.lane <= this.#limits.waitingBytes / 2) return;
      this.forget(lane);
      lane.isBehind = true;
      this.#events.handleBehind(lane);
    }
  }

  #compact(): void {
    const done = this.#next + this.#droppedCount;
    if (done < MIN_DONE_FRAMES || done * 2 < this.#queue.length) return;
    this.#queue = this.#queue.slice(this.#next).filter(({ makeFrame }) => makeFrame !== undefined);
    this.#next = 0;
    this.#droppedCount = 0;
  }

  #updatePressure(): void {
    const { answer, own } = this.#waiting;
    const bytes = answer + own;
    const isHigh = this.#isHigh
      ? bytes > this.#limits.answerBytes / 2
      : bytes > this.#limits.answerBytes;
    if (isHigh === this.#isHigh) return;
    this.#isHigh = isHigh;
    if (!isHigh) this.#wakeWaiters();
    if (!this.#isOver) this.#events.handlePressure(isHigh);
  }

  #wakeWaiters(): void {
    const waiting = this.#waitingForRoom;
    this.#waitingForRoom = [];
    for (const wake of waiting) wake();
  }

  /** Nobody reads the effects of the client's other connection. */
  #closeOverloaded(): void {
    this[Symbol.dispose]();
    this.#wire.close(CLOSE.overload, "what was sent is not read");
  }
}
