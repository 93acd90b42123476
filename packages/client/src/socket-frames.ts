import { NacreError } from "@nacre/contracts";
import { isErrorCode } from "./failure.ts";
import { type Clock, ConnectionLost } from "./reconnect.ts";

/** A listener that does not keep up loses the connection beyond this, and continues by the recording. */
const MAX_QUEUED_BYTES = 4 * 1024 * 1024;

/** How often a sign of life is asked for; the second one that does not come means that nobody is there. */
export const PING_MS = 15_000;
const MAX_MISSED_PINGS = 2;

/** The terminal ended and everything was told. */
const ENDED = 1000;

/** Coming back cannot help: the host refused for good. */
const REFUSALS: ReadonlySet<number> = new Set([1008, 4000, 4001, 4003, 4004]);

/** The frames of one WebSocket, for one loop, with a bound on what waits. It ends when the terminal does; otherwise it throws why. */
export class SocketFrames implements AsyncIterable<Uint8Array | string>, Disposable {
  readonly #socket: WebSocket;
  readonly #opened = Promise.withResolvers<void>();
  readonly #stopPinging: () => void;
  #queue: (Uint8Array | string)[] = [];
  #queuedBytes = 0;
  #missedPings = 0;
  #wake: (() => void) | undefined;
  #end: { readonly error?: Error } | undefined;

  constructor(url: string, clock: Clock) {
    this.#socket = new WebSocket(url);
    this.#socket.binaryType = "arraybuffer";
    this.#socket.addEventListener("open", () => this.#opened.resolve());
    this.#socket.addEventListener("message", ({ data }) => this.#handleFrame(data));
    this.#socket.addEventListener("close", ({ code, reason }) => this.#finish(endOf(code, reason)));
    this.#stopPinging = this.#pingAfter(clock);
    // Who waits for the connection is told; nobody else needs to be.
    this.#opened.promise.catch(() => undefined);
  }

  get isOpen(): boolean {
    return this.#socket.readyState === WebSocket.OPEN;
  }

  /** Resolves when frames can be sent; throws when that will not be. */
  get opened(): Promise<void> {
    return this.#opened.promise;
  }

  send(frame: Uint8Array<ArrayBuffer> | string): void {
    this.#socket.send(frame);
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array | string, void> {
    for (;;) {
      const frame = this.#queue.shift();
      if (frame !== undefined) {
        this.#queuedBytes -= frame.length;
        yield frame;
      } else if (this.#end !== undefined) {
        if (this.#end.error) throw this.#end.error;
        return;
      } else {
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
      }
    }
  }

  /** Gives the connection up; what came already can still be read. */
  [Symbol.dispose](): void {
    this.#finish({ error: new ConnectionLost("the connection was given up") });
  }

  #handleFrame(data: unknown): void {
    this.#missedPings = 0;
    if (this.#end !== undefined) return;
    const frame = data instanceof ArrayBuffer ? new Uint8Array(data) : String(data);
    this.#queue.push(frame);
    this.#queuedBytes += frame.length;
    this.#wake?.();
    if (this.#queuedBytes > MAX_QUEUED_BYTES) this[Symbol.dispose]();
  }

  #finish(end: { readonly error?: Error }): void {
    if (this.#end !== undefined) return;
    this.#end = end;
    this.#stopPinging();
    this.#opened.reject(end.error ?? new ConnectionLost("the connection ended"));
    this.#wake?.();
    // Browsers complain to people about a socket that is closed before it was open.
    if (this.#socket.readyState !== WebSocket.CONNECTING) this.#socket.close();
    else this.#socket.addEventListener("open", () => this.#socket.close());
  }

  #pingAfter(clock: Clock): () => void {
    let cancel = (): void => undefined;
    const beat = (): void => {
      if (this.#missedPings >= MAX_MISSED_PINGS) {
        this[Symbol.dispose]();
        return this.#socket.close();
      }
      this.#missedPings += 1;
      if (this.isOpen) this.#socket.send('{"type":"ping"}');
      cancel = clock.after(PING_MS, beat);
    };
    cancel = clock.after(PING_MS, beat);
    return () => cancel();
  }
}

function endOf(code: number, reason: string): { readonly error?: Error } {
  if (code === ENDED) return {};
  if (!REFUSALS.has(code)) return { error: new ConnectionLost(`the connection ended (${code})`) };
  const [word = "", ...rest] = reason.split(": ");
  const isKnown = isErrorCode(word);
  const message = isKnown ? rest.join(": ") : reason || `the host closed the socket (${code})`;
  return { error: new NacreError(isKnown ? word : "forbidden", message) };
}
