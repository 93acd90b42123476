import { NacreError, type Size } from "@nacre/contracts/plain";
import type { Pty, PtyExit, PtyLaunch } from "../pty/pty.ts";
import { releaseBuffer } from "../base/buffer-pool.ts";
import { OutputRing, type RingBudget, type RingPiece } from "./output-ring.ts";

/**
 * How far a PTY is read ahead of its reader: at least the step in which readers report; the driver's queue comes on
 * top.
 */
const WINDOW_BYTES = 256 * 1024;

/** A chunk of this size belongs to a flood and waits its turn; a smaller one may be what somebody waits for. */
const FLOOD_BYTES = 16 * 1024;

export type PtyKind = "terminal" | "pipes";

/** Receives the facts of kept PTYs while a daemon is connected. */
export interface PtySink {
  /** Floods should wait their turn. */
  readonly isBusy: boolean;
  sendOutput(pty: number, offset: number, piece: RingPiece): void;
  sendEnd(pty: number): void;
  sendExit(pty: number, exit: PtyExit): void;
  awaitTurn(go: () => void): void;
}

export interface KeptPtyOptions {
  readonly number: number;
  readonly kind: PtyKind;
  readonly launch: Pick<PtyLaunch, "size" | "memo">;
  readonly total: RingBudget;
}

/** One PTY with its unrecorded output. */
export class KeptPty {
  readonly number: number;
  readonly kind: PtyKind;
  readonly pty: Pty;
  readonly memo: string | undefined;
  readonly #ring: OutputRing;
  readonly #roomSubscription: Disposable;
  readonly #pumped: Promise<void>;
  #size: Size;
  #sink: PtySink | undefined;
  /** What the present reader was sent, and has consumed. */
  #sentOffset = 0;
  #consumedOffset = 0;
  #hasSentEnd = false;
  #isAwaitingTurn = false;
  #wake: (() => void) | undefined;
  #exit: PtyExit | undefined;
  #isAtEnd = false;
  #isDisposed = false;

  constructor(pty: Pty, facts: KeptPtyOptions) {
    this.pty = pty;
    this.memo = facts.launch.memo;
    this.number = facts.number;
    this.kind = facts.kind;
    this.#size = facts.launch.size;
    this.#ring = new OutputRing(facts.total);
    this.#roomSubscription = facts.total.onRoom(() => this.#wake?.());
    this.#pumped = this.#pump();
    void pty.exited.then((exit) => this.#handleExit(exit));
  }

  get isAttached(): boolean {
    return this.#sink !== undefined;
  }

  get exit(): PtyExit | undefined {
    return this.#exit;
  }

  /** No program can write any more. */
  get isOver(): boolean {
    return this.#isAtEnd && this.#exit !== undefined;
  }

  /** The last size, also after the program ended. */
  get size(): Size {
    return this.#size;
  }

  get firstOffset(): number {
    return this.#ring.firstOffset;
  }

  /** Sends everything from an offset on; the reader has recorded what is before it. */
  attach(outlet: PtySink, fromOffset: number): void {
    this.#sink = outlet;
    this.#sentOffset = fromOffset;
    this.#consumedOffset = fromOffset;
    this.#hasSentEnd = false;
    this.#isAwaitingTurn = false;
    this.#release(fromOffset);
    if (this.#exit) outlet.sendExit(this.number, this.#exit);
    this.#send();
    this.#wake?.();
  }

  /** Throws when that output is gone. */
  checkOffset(fromOffset: number): void {
    const { firstOffset, endOffset } = this.#ring;
    if (fromOffset >= firstOffset && fromOffset <= endOffset) return;
    const message = `the output is kept from ${firstOffset} to ${endOffset}, not from ${fromOffset}`;
    throw new NacreError("invalid_argument", message, { field: "fromOffset" });
  }

  /** Output is kept until the ring is full. */
  detach(): void {
    this.#sink = undefined;
    this.#wake?.();
  }

  consume(offset: number): void {
    if (offset <= this.#consumedOffset || offset > this.#sentOffset) return;
    this.#consumedOffset = offset;
    this.#send();
    this.#wake?.();
  }

  /** An offset that was not sent cannot be recorded. */
  acknowledge(offset: number): void {
    if (offset > this.#sentOffset) return;
    this.#release(offset);
    this.#wake?.();
  }

  async resize(size: Size): Promise<void> {
    await this.pty.resize(size);
    this.#size = size;
  }

  /** Ends the programs and hands the rest to the reader. */
  async dispose(): Promise<void> {
    await this.pty[Symbol.asyncDispose]();
    this.#isDisposed = true;
    this.#wake?.();
    await this.#pumped;
    this.#isAwaitingTurn = false;
    this.#send();
    this.#roomSubscription[Symbol.dispose]();
    this.#ring.release(this.#ring.endOffset);
  }

  async #pump(): Promise<void> {
    for (;;) {
      while (!this.#mayRead) await this.#room();
      const chunk = await this.pty.read();
      if (!chunk) break;
      this.#ring.add(chunk);
      this.#send();
    }
    this.#isAtEnd = true;
    this.#send();
  }

  #release(offset: number): void {
    for (const spare of this.#ring.release(offset)) releaseBuffer(spare);
  }

  /** The rest of an ended program is small, and must be read although the reader records nothing. */
  get #mayRead(): boolean {
    if (this.#isDisposed || this.#exit?.drained) return true;
    if (this.#ring.isFull) return false;
    return !this.#sink || this.#ring.endOffset - this.#consumedOffset < WINDOW_BYTES;
  }

  #room(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }

  #send(): void {
    const outlet = this.#sink;
    if (!outlet || this.#isAwaitingTurn) return;
    for (let piece = this.#nextPiece(); piece; piece = this.#nextPiece()) {
      if (outlet.isBusy && piece.bytes.byteLength >= FLOOD_BYTES && !this.#isDisposed) {
        return this.#awaitTurn(outlet);
      }
      const offset = this.#sentOffset;
      this.#sentOffset += piece.bytes.byteLength;
      outlet.sendOutput(this.number, offset, piece);
    }
    if (!this.#isAtEnd || this.#hasSentEnd || this.#sentOffset < this.#ring.endOffset) return;
    this.#hasSentEnd = true;
    outlet.sendEnd(this.number);
  }

  #nextPiece(): RingPiece | undefined {
    const isOpen = this.#isDisposed || this.#sentOffset - this.#consumedOffset < WINDOW_BYTES;
    return isOpen ? this.#ring.pieceAt(this.#sentOffset) : undefined;
  }

  #awaitTurn(outlet: PtySink): void {
    this.#isAwaitingTurn = true;
    outlet.awaitTurn(() => {
      if (this.#sink !== outlet) return;
      this.#isAwaitingTurn = false;
      this.#send();
    });
  }

  #handleExit(exit: PtyExit): void {
    this.#exit = exit;
    this.#sink?.sendExit(this.number, exit);
    this.#wake?.();
  }
}
