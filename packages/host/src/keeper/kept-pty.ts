import { NacreError, type Size } from "@nacre/contracts/plain";
import type { Pty, PtyExit, PtyLaunch } from "../pty/pty.ts";
import { giveSpare } from "../pty/spare-pool.ts";
import { type Piece, Ring } from "./ring.ts";
import type { RingsTotal } from "./rings-total.ts";

/** How far a Pty is read ahead of a reader that is there, at least as much as readers tell of at a time; the queue of its driver comes on top. */
const WINDOW_BYTES = 256 * 1024;

/** A piece of this size is of a flood, and waits for its turn; what is smaller may be what somebody waits for. */
const FLOOD_BYTES = 16 * 1024;

/** What programs are given to write to. */
export type PtyKind = "terminal" | "pipes";

/** Where the facts of kept Ptys go while somebody is connected. */
export interface Outlet {
  /** Whether floods should wait for their turn. */
  readonly isBusy: boolean;
  sendOutput(pty: number, offset: number, piece: Piece): void;
  sendEnd(pty: number): void;
  sendExit(pty: number, exit: PtyExit): void;
  /** Calls when it may be this one's turn. */
  awaitTurn(go: () => void): void;
}

/** What is known of a Pty beside what its driver knows. */
export interface KeptFacts {
  readonly number: number;
  readonly kind: PtyKind;
  readonly launch: Pick<PtyLaunch, "size" | "memo">;
  /** What all Ptys of the keeper hold. */
  readonly total: RingsTotal;
}

/** One Pty with everything that nobody has recorded yet. */
export class KeptPty {
  readonly number: number;
  readonly kind: PtyKind;
  readonly pty: Pty;
  readonly memo: string | undefined;
  readonly #ring: Ring;
  readonly #hearing: Disposable;
  readonly #pumped: Promise<void>;
  #size: Size;
  #outlet: Outlet | undefined;
  /** What the present reader was sent, and has taken. */
  #sentOffset = 0;
  #consumedOffset = 0;
  #hasSentEnd = false;
  #isAwaitingTurn = false;
  #wake: (() => void) | undefined;
  #exit: PtyExit | undefined;
  #isAtEnd = false;
  #isLetGo = false;

  constructor(pty: Pty, facts: KeptFacts) {
    this.pty = pty;
    this.memo = facts.launch.memo;
    this.number = facts.number;
    this.kind = facts.kind;
    this.#size = facts.launch.size;
    this.#ring = new Ring(facts.total);
    this.#hearing = facts.total.onRoom(() => this.#wake?.());
    this.#pumped = this.#pump();
    void pty.exited.then((exit) => this.#handleExit(exit));
  }

  get isAttached(): boolean {
    return this.#outlet !== undefined;
  }

  get exit(): PtyExit | undefined {
    return this.#exit;
  }

  /** Whether no program can write any more. */
  get isOver(): boolean {
    return this.#isAtEnd && this.#exit !== undefined;
  }

  /** The size it has, or had when its program ended. */
  get size(): Size {
    return this.#size;
  }

  get firstOffset(): number {
    return this.#ring.firstOffset;
  }

  /** Sends everything from an offset on to a reader that has recorded what is before it. */
  attach(outlet: Outlet, fromOffset: number): void {
    this.#outlet = outlet;
    this.#sentOffset = fromOffset;
    this.#consumedOffset = fromOffset;
    this.#hasSentEnd = false;
    this.#isAwaitingTurn = false;
    this.#release(fromOffset);
    if (this.#exit) outlet.sendExit(this.number, this.#exit);
    this.#send();
    this.#wake?.();
  }

  /** Refuses an offset from which the output cannot be had. */
  checkOffset(fromOffset: number): void {
    const { firstOffset, endOffset } = this.#ring;
    if (fromOffset >= firstOffset && fromOffset <= endOffset) return;
    const message = `the output is kept from ${firstOffset} to ${endOffset}, not from ${fromOffset}`;
    throw new NacreError("invalid_argument", message, { field: "fromOffset" });
  }

  /** The reader is gone: what the program writes is kept until the ring is full. */
  detach(): void {
    this.#outlet = undefined;
    this.#wake?.();
  }

  /** The reader took everything before an offset. */
  consume(offset: number): void {
    if (offset <= this.#consumedOffset || offset > this.#sentOffset) return;
    this.#consumedOffset = offset;
    this.#send();
    this.#wake?.();
  }

  /** Everything before an offset is recorded. Of what was not sent that cannot be true. */
  acknowledge(offset: number): void {
    if (offset > this.#sentOffset) return;
    this.#release(offset);
    this.#wake?.();
  }

  async resize(size: Size): Promise<void> {
    await this.pty.resize(size);
    this.#size = size;
  }

  /** Ends the programs, and hands everything that is left to the reader. */
  async letGo(): Promise<void> {
    await this.pty[Symbol.asyncDispose]();
    this.#isLetGo = true;
    this.#wake?.();
    await this.#pumped;
    this.#isAwaitingTurn = false;
    this.#send();
    this.#hearing[Symbol.dispose]();
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
    for (const spare of this.#ring.release(offset)) giveSpare(spare);
  }

  /** What an ended program left is little, and has to be had although a reader records nothing of it. */
  get #mayRead(): boolean {
    if (this.#isLetGo || this.#exit?.drained) return true;
    if (this.#ring.isFull) return false;
    return !this.#outlet || this.#ring.endOffset - this.#consumedOffset < WINDOW_BYTES;
  }

  #room(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }

  #send(): void {
    const outlet = this.#outlet;
    if (!outlet || this.#isAwaitingTurn) return;
    for (let piece = this.#nextPiece(); piece; piece = this.#nextPiece()) {
      if (outlet.isBusy && piece.bytes.byteLength >= FLOOD_BYTES && !this.#isLetGo) {
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

  #nextPiece(): Piece | undefined {
    const isOpen = this.#isLetGo || this.#sentOffset - this.#consumedOffset < WINDOW_BYTES;
    return isOpen ? this.#ring.pieceAt(this.#sentOffset) : undefined;
  }

  #awaitTurn(outlet: Outlet): void {
    this.#isAwaitingTurn = true;
    outlet.awaitTurn(() => {
      if (this.#outlet !== outlet) return;
      this.#isAwaitingTurn = false;
      this.#send();
    });
  }

  #handleExit(exit: PtyExit): void {
    this.#exit = exit;
    this.#outlet?.sendExit(this.number, exit);
    this.#wake?.();
  }
}
