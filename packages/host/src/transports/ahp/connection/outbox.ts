import type { ConnectionLimits } from "./connection-limits.ts";
import { CLOSE, type MessageFrame, type Wire } from "./wire.ts";

/** What a frame that waits costs beside its bytes. */
const FRAME_OVERHEAD_BYTES = 128;

/** Fewer frames than this are not worth cleaning up behind. */
const MIN_DONE_FRAMES = 256;

/** What one channel sends through one connection. */
export interface ChannelQueue {
  /** Whether something of it was left out: nothing more of it is sent until it was told anew. */
  isBehind: boolean;
}

/** Something to be sent, made when its turn comes. */
export interface Sendable {
  readonly bytes: number;
  readonly makeFrame: () => MessageFrame;
}

/** What the box tells its connection. */
export interface OutboxEvents {
  /** Too many answers wait, or not any more. */
  handlePressure(isHigh: boolean): void;
  /** What waited of a lane was left out. */
  handleBehind(lane: ChannelQueue): void;
  /** Little is under way; called often. */
  handleCalm(): void;
  /** A frame could not be made. */
  handleProblem(error: unknown): void;
}

type FrameClass = "answer" | "own" | "lane";

interface QueuedFrame {
  readonly keeping: FrameClass;
  readonly lane?: ChannelQueue | undefined;
  readonly bytes: number;
  /** Nothing once it was left out. */
  makeFrame: (() => MessageFrame) | undefined;
}

/** Stands in the place of what was sent, which may have been megabytes, until the row is cleaned up. */
const SENT: QueuedFrame = { keeping: "answer", bytes: 0, makeFrame: undefined };

/** What waits to be sent to one client: one row in order, with bounded memory whether the client reads or not. */
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

  /** How many bytes wait here, beside those that the network is about to take. */
  get waitingBytes(): number {
    const { answer, own, lane } = this.#waiting;
    return answer + own + lane;
  }

  /** Whether nothing more is taken. */
  get isEnding(): boolean {
    return this.#isOver || this.#ending !== undefined;
  }

  /** Resolves when there is room for more answers, or nobody to send them to. */
  async room(): Promise<void> {
    while (this.#isHigh && !this.#isOver) {
      await new Promise<void>((resolve) => this.#waitingForRoom.push(resolve));
    }
  }

  /** Sends an answer. */
  answer(frame: MessageFrame): void {
    this.#add({ keeping: "answer", bytes: frame.length, makeFrame: () => frame });
  }

  /** Sends what the client itself brought about; never left out. */
  sendOwn({ bytes, makeFrame }: Sendable): void {
    this.#add({ keeping: "own", bytes, makeFrame });
    if (this.#waiting.own > this.#limits.ownBytes) this.#closeOverloaded();
  }

  /** Sends what a lane brings, unless something of it was left out before. */
  send(lane: ChannelQueue, { bytes, makeFrame }: Sendable): void {
    if (lane.isBehind) return;
    this.#add({ keeping: "lane", lane, bytes, makeFrame });
    if (this.#waiting.lane > this.#limits.waitingBytes) this.#dropBusiest();
  }

  /** Sends what stands for everything of a lane that still waits. */
  replace(lane: ChannelQueue, sendable: Sendable): void {
    this.forget(lane);
    this.send(lane, sendable);
  }

  /** Leaves out what waits of a lane. */
  forget(lane: ChannelQueue): void {
    for (let at = this.#next; at < this.#queue.length; at++) {
      const waiting = this.#queue[at];
      if (waiting?.lane === lane) this.#drop(waiting);
    }
    this.#compact();
  }

  /** Says so when little is under way. */
  checkCalm(): void {
    this.#pump();
  }

  /** Closes the wire once everything that waits is sent; nothing more is taken. */
  end(code: number, reason: string): void {
    this.#ending ??= { code, reason };
    this.#pump();
  }

  /** Nothing more is sent. */
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
    // A wire may report at once.
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

  /** Sends the first that waits; false when there is none. */
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

  /** Leaves out the lanes with the most bytes until half of the room is free again. */
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

  /** Gives back the memory of what is done with, now and then. */
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

  /** Nobody reads what the client itself brings about by another connection. */
  #closeOverloaded(): void {
    this[Symbol.dispose]();
    this.#wire.close(CLOSE.overload, "what was sent is not read");
  }
}
