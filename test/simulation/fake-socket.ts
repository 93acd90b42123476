import { EventEmitter } from "node:events";
import type { Scheduler, SimProcess } from "./scheduler.ts";

/** How a connection behaves. */
export interface WireOptions {
  readonly scheduler: Scheduler;
  /** How long bytes are on their way, each time anew. */
  readonly latencyMs: () => number;
  /** A descriptor that the kernel knows as a unix socket of ours. */
  readonly descriptor: number;
}

type OnRead = (bytes: number, buffer: Uint8Array) => boolean;

/** What may wait before a writer is told of the end of it. */
const HIGH_WATER_BYTES = 64 * 1024;

/** Bytes seldom come as they were written: so often they are cut, at random places. */
const CUT_CHANCE = 0.3;

/** One end of a unix socket; bytes arrive later, in order, cut anywhere, also those of a process that was killed since. */
export class FakeSocket extends EventEmitter {
  destroyed = false;
  writableLength = 0;
  readonly _handle: { readonly fd: number };
  readonly #options: WireOptions;
  readonly #owner: SimProcess;
  #peer: FakeSocket | undefined;
  #onRead: { readonly buffer: Uint8Array; readonly callback: OnRead } | undefined;
  #corked: Uint8Array[] | undefined;
  #arrivesAt = 0;
  #hasEnded = false;
  #needsDrain = false;

  constructor(options: WireOptions, owner: SimProcess) {
    super();
    this.#options = options;
    this.#owner = owner;
    this._handle = { fd: options.descriptor };
  }

  /** Two ends that are connected. */
  static pair(options: WireOptions, one: SimProcess, other: SimProcess): [FakeSocket, FakeSocket] {
    const [left, right] = [new FakeSocket(options, one), new FakeSocket(options, other)];
    left.#peer = right;
    right.#peer = left;
    return [left, right];
  }

  /** Hands what comes to a function instead of a listener. */
  readInto(onRead: { readonly buffer: Uint8Array; readonly callback: OnRead }): void {
    this.#onRead = onRead;
  }

  write(bytes: Uint8Array): boolean {
    if (this.destroyed || this.#hasEnded) return false;
    this.writableLength += bytes.byteLength;
    if (this.#corked) this.#corked.push(bytes);
    else this.#send([bytes]);
    this.#needsDrain ||= this.writableLength > HIGH_WATER_BYTES;
    return !this.#needsDrain;
  }

  cork(): void {
    this.#corked ??= [];
  }

  uncork(): void {
    const corked = this.#corked ?? [];
    this.#corked = undefined;
    if (corked.length > 0) this.#send(corked);
  }

  end(): void {
    if (this.#hasEnded) return;
    this.uncork();
    this.#hasEnded = true;
    this.#deliver(0, (peer) => peer.#handleEnd());
  }

  destroySoon(): void {
    this.end();
    this.destroy();
  }

  /** Closes at once; what was sent before still arrives, and then the end of it. */
  destroy(): this {
    if (this.destroyed) return this;
    if (!this.#hasEnded) this.end();
    this.destroyed = true;
    this.#options.scheduler.after(0, () => this.emit("close"), this.#owner);
    return this;
  }

  setTimeout(delayMs: number, run: () => void): this {
    this.#options.scheduler.after(delayMs, () => void (this.destroyed || run()), this.#owner);
    return this;
  }

  pause(): this {
    return this;
  }

  resume(): this {
    return this;
  }

  #send(parts: readonly Uint8Array[]): void {
    const bytes = Buffer.concat(parts);
    const { scheduler } = this.#options;
    for (let start = 0; start < bytes.byteLength;) {
      const rest = bytes.byteLength - start;
      const length = scheduler.chance(CUT_CHANCE) ? scheduler.between(1, rest) : rest;
      const piece = bytes.subarray(start, start + length);
      start += length;
      this.#deliver(length, (peer) => peer.#take(piece));
    }
  }

  /** Everything on this way keeps its order. */
  #deliver(byteCount: number, arrive: (peer: FakeSocket) => void): void {
    const { scheduler, latencyMs } = this.#options;
    const peer = this.#peer!;
    this.#arrivesAt = Math.max(this.#arrivesAt, scheduler.nowMs + latencyMs());
    const wait = this.#arrivesAt - scheduler.nowMs;
    scheduler.after(wait, () => void (peer.destroyed || arrive(peer)), peer.#owner);
    if (byteCount > 0) scheduler.after(wait, () => this.#handleSent(byteCount), this.#owner);
  }

  #handleSent(byteCount: number): void {
    this.writableLength -= byteCount;
    if (this.writableLength > 0 || !this.#needsDrain || this.destroyed) return;
    this.#needsDrain = false;
    this.emit("drain");
  }

  #take(bytes: Buffer): void {
    const onRead = this.#onRead;
    if (!onRead) return void this.emit("data", bytes);
    for (let start = 0; start < bytes.byteLength && !this.destroyed;) {
      const piece = bytes.subarray(start, start + onRead.buffer.byteLength);
      onRead.buffer.set(piece);
      start += piece.byteLength;
      onRead.callback(piece.byteLength, onRead.buffer);
    }
  }

  #handleEnd(): void {
    this.emit("end");
    // Neither end stays half open.
    this.destroy();
  }
}
