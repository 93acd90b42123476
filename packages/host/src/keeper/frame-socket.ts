import type { Socket } from "node:net";
import { FRAME_TYPES, type FrameReader, type FrameHeader, encodeHeader } from "./frames.ts";

/** Smaller payloads are copied behind their header: cheaper than a writev of two buffers. */
export const SMALL_BYTES = 2048;

/** Beyond this floods wait, so that a key does not queue behind them. */
const BUSY_BYTES = 256 * 1024;

/** How long `sendSoon` waits for another frame. */
const SOON_MS = 1;

/** One end of a connection, as frames. */
export class FrameSocket {
  readonly socket: Socket;
  #isCorked = false;
  #isLeaving = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(socket: Socket) {
    this.socket = socket;
  }

  /** Floods should wait for `drain`. */
  get isBusy(): boolean {
    return this.socket.writableLength > BUSY_BYTES;
  }

  /** The payload must not change until it is sent. */
  send(head: FrameHeader, payload?: Uint8Array): void {
    if (this.socket.destroyed) return;
    this.#cork();
    this.#flushAfterTurn();
    const bytes = payload?.byteLength ?? 0;
    if (!payload || bytes <= SMALL_BYTES) {
      const frame = encodeHeader(head, bytes, bytes);
      if (payload) frame.set(payload, frame.byteLength - bytes);
      this.socket.write(frame);
      return;
    }
    this.socket.write(encodeHeader(head, bytes));
    this.socket.write(payload);
  }

  /** Sends with the next frame or in a moment: the receiver wakes only once. */
  sendSoon(head: FrameHeader): void {
    if (this.socket.destroyed) return;
    this.#cork();
    this.socket.write(encodeHeader(head, 0));
    this.#timer ??= setTimeout(() => this.#flush(), SOON_MS);
  }

  sendJson(head: FrameHeader, value: object): void {
    this.send(head, Buffer.from(JSON.stringify(value)));
  }

  /** Sends the reason and closes. */
  refuse(refusal: object): void {
    if (this.socket.destroyed) return;
    this.sendJson({ type: FRAME_TYPES.refusal, pty: 0, value: 0 }, refusal);
    this.socket.end();
    // A peer that does not read it is not waited for.
    this.socket.setTimeout(1000, () => this.socket.destroy());
  }

  #cork(): void {
    if (this.#isCorked) return;
    this.#isCorked = true;
    this.socket.cork();
  }

  /** All frames of one event-loop turn go out in one write. */
  #flushAfterTurn(): void {
    if (this.#isLeaving) return;
    this.#isLeaving = true;
    process.nextTick(() => this.#flush());
  }

  #flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#isLeaving = false;
    this.#isCorked = false;
    this.socket.uncork();
  }
}

/** `handleMalformed` gets what cannot be a frame; the rest is not read. */
export function feedFrames(
  socket: Socket,
  reader: FrameReader,
  handleMalformed: (error: unknown) => void,
): void {
  socket.on("data", (bytes: Buffer) => {
    try {
      reader.push(bytes);
    } catch (error) {
      socket.removeAllListeners("data").pause();
      handleMalformed(error);
    }
  });
}
