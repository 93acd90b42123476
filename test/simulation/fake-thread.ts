// Threads of the daemon without threads: messages are copied or handed over as between real ones, and arrive later.
import { EventEmitter } from "node:events";
import { type Scheduler, SimProcess } from "./scheduler.ts";

/** The thread's own end of the port. */
export class ThreadPort extends EventEmitter {
  #post: ((message: unknown, transfer: readonly unknown[]) => void) | undefined;
  #handleClose: () => void;

  constructor(
    post: (message: unknown, transfer: readonly unknown[]) => void,
    handleClose: () => void,
  ) {
    super();
    this.#post = post;
    this.#handleClose = handleClose;
  }

  postMessage(message: unknown, transfer: readonly unknown[] = []): void {
    this.#post?.(message, transfer);
  }

  close(): void {
    this.#post = undefined;
    this.#handleClose();
  }
}

/** What a thread is made of. */
export interface ThreadParts {
  readonly scheduler: Scheduler;
  /** The daemon that has it. */
  readonly owner: SimProcess;
  /** How long a message is on its way, each time anew. */
  latencyMs(): number;
  /** What runs in it. */
  serve(port: ThreadPort): void;
}

/** What the main thread has of a thread. */
export class FakeThread extends EventEmitter {
  readonly threadId = 1;
  readonly #parts: ThreadParts;
  readonly #inner: ThreadPort;
  readonly #process: SimProcess;
  #isOver = false;
  #inArrivesAt = 0;
  #outArrivesAt = 0;

  constructor(parts: ThreadParts) {
    super();
    this.#parts = parts;
    this.#process = new SimProcess(parts.owner);
    this.#inner = new ThreadPort(
      (message, transfer) => this.#sendOut(message, transfer),
      () => parts.scheduler.after(0, () => this.kill(), parts.owner),
    );
    parts.scheduler.after(0, () => parts.serve(this.#inner), this.#process);
  }

  postMessage(message: unknown, transfer: readonly unknown[] = []): void {
    const copy = copyMessage(message, transfer);
    this.#inArrivesAt = Math.max(this.#inArrivesAt, this.#due());
    const wait = this.#inArrivesAt - this.#parts.scheduler.nowMs;
    this.#parts.scheduler.after(wait, () => this.#inner.emit("message", copy), this.#process);
  }

  ref(): void {
    // Nothing here keeps a process alive.
  }

  unref(): void {
    // As above.
  }

  terminate(): Promise<number> {
    this.#isOver = true;
    this.#process.kill();
    return Promise.resolve(1);
  }

  /** The thread ends by itself, whatever it was about to do. */
  kill(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#process.kill();
    this.emit("exit", 1);
  }

  #sendOut(message: unknown, transfer: readonly unknown[]): void {
    const copy = copyMessage(message, transfer);
    this.#outArrivesAt = Math.max(this.#outArrivesAt, this.#due());
    const wait = this.#outArrivesAt - this.#parts.scheduler.nowMs;
    const arrive = (): void => void (this.#isOver || this.emit("message", copy));
    this.#parts.scheduler.after(wait, arrive, this.#parts.owner);
  }

  #due(): number {
    return this.#parts.scheduler.nowMs + this.#parts.latencyMs();
  }
}

/** A copy as threads get it: buffers that are handed over are gone at the sender. */
function copyMessage(message: unknown, transfer: readonly unknown[]): unknown {
  const moved = new Map<unknown, ArrayBuffer>();
  for (const one of transfer) if (one instanceof ArrayBuffer) moved.set(one, one.slice(0));
  const copy = copyOf(message, moved);
  for (const one of moved.keys()) if (one instanceof ArrayBuffer && !one.detached) one.transfer();
  return copy;
}

function copyOf(value: unknown, moved: ReadonlyMap<unknown, ArrayBuffer>): unknown {
  if (typeof value === "function") throw new Error("a function cannot be sent to a thread");
  if (typeof value !== "object" || value === null) return value;
  if (value instanceof Uint8Array) {
    const { byteOffset, byteLength } = value;
    const own = moved.get(value.buffer);
    if (own) return new Uint8Array(own, byteOffset, byteLength);
    if (value.buffer instanceof SharedArrayBuffer) return value;
    if (value.buffer.detached) throw new Error("bytes that were handed over cannot be sent again");
    return new Uint8Array(value);
  }
  if (value instanceof SharedArrayBuffer) return value;
  if (Array.isArray(value)) return value.map((one) => copyOf(one, moved));
  if (value instanceof Map || value instanceof Set || value instanceof Date) {
    return structuredClone(value);
  }
  const copy: Record<string, unknown> = {};
  for (const key of Object.keys(value)) copy[key] = copyOf(Reflect.get(value, key), moved);
  return copy;
}
