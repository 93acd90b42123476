import {
  CREDIT_BYTES,
  MAX_FRAME_BYTES,
  messageSize,
  type SendQueue,
  type SocketMessage,
} from "../../socket/client-socket.ts";
import type {
  AttachedTerminal,
  AttachmentEntry,
  AttachmentMessage,
  FrameEncoder,
  TerminalExit,
} from "./attached-terminal.ts";

/** A viewer that kept us waiting for this long since it last had everything is skipped forward to a fresh snapshot. */
const MAX_BEHIND_MS = 2000;

/** Who gets what is younger than this has everything. */
const CURRENT_MS = 250;

export interface ViewerDeps {
  readonly terminal: Pick<AttachedTerminal, "next" | "release" | "skip">;
  readonly outlet: SendQueue;
  readonly wire: FrameEncoder;
  /** Goes out before everything else. */
  readonly first?: readonly SocketMessage[];
  /** Is told of output on its way. */
  handleOutput?(output: Uint8Array): void;
  readonly maxBehindMs?: number | undefined;
}

/** A frame that waits, and the entry whose output ends with it, if one does. */
interface PendingFrame {
  readonly frame: SocketMessage;
  readonly sequence?: number | undefined;
}

/**
 * Tells one viewer of one terminal at the viewer's own pace: nothing is fetched that the socket has no room for.
 * Who does not read holds a bounded amount of memory, slows nobody, and gets a snapshot when it reads again.
 */
export class Viewer implements Disposable {
  readonly #deps: ViewerDeps;
  readonly #frames: PendingFrame[] = [];
  #batch: Uint8Array[] = [];
  #batchBytes = 0;
  #sequence = 0;
  #isFlushPlanned = false;
  #isInTurn = false;
  #sentBytes = 0;
  #behindMs = 0;
  #ending: TerminalExit | undefined;
  #isDisposed = false;
  #wake: (() => void) | undefined;

  constructor(deps: ViewerDeps) {
    this.#deps = deps;
  }

  /** Resolves when everything was told, with how the program ended if that was part of it; or once disposed. */
  async run(): Promise<TerminalExit | undefined> {
    const { terminal, first = [], maxBehindMs = MAX_BEHIND_MS } = this.#deps;
    this.#enqueue(first);
    while (!this.#isDisposed) {
      if (!this.#hasRoom) await this.#room();
      if (this.#behindMs >= maxBehindMs) {
        this.#behindMs = 0;
        await terminal.skip();
      }
      const message = await terminal.next();
      if (!message) break;
      this.#take(message);
    }
    return this.#ending;
  }

  /** Sends the last frames behind everything that was told; resolves when the network has taken all. */
  async finish(frames: readonly SocketMessage[]): Promise<void> {
    this.#enqueue(frames);
    await this.#until(() => this.#frames.length === 0 && this.#sentBytes === 0);
  }

  [Symbol.dispose](): void {
    this.#isDisposed = true;
    this.#frames.length = 0;
    this.#batch = [];
    this.#wake?.();
  }

  #enqueue(frames: readonly SocketMessage[]): void {
    this.#endBatch();
    this.#frames.push(...frames.map((frame) => ({ frame })));
    this.#send();
  }

  #take(message: AttachmentMessage): void {
    const { wire } = this.#deps;
    if (message.kind === "snapshot") {
      // What is behind this picture need not be told any more.
      this.#batch = [];
      this.#batchBytes = 0;
      this.#enqueue(wire.snapshot(message.screen));
      return;
    }
    const { entry, view } = message;
    if (this.#behindMs > 0 && isCurrent(entry)) this.#behindMs = 0;
    if (view) this.#add(view, entry.sequence);
    else this.#enqueueEntry(entry);
  }

  #enqueueEntry(entry: AttachmentEntry): void {
    if (entry.type === "exit") this.#ending = entry;
    const frames = this.#deps.wire.entry(entry);
    if (frames.length > 0) this.#enqueue(frames);
  }

  #add(view: Uint8Array, sequence: number): void {
    if (this.#batchBytes + view.byteLength > MAX_FRAME_BYTES) this.#endBatch();
    this.#deps.handleOutput?.(view);
    this.#batch.push(view);
    this.#batchBytes += view.byteLength;
    this.#sequence = sequence;
    if (this.#isFlushPlanned) return;
    this.#isFlushPlanned = true;
    // Everything that is ready by now is fetched first, and becomes one frame.
    process.nextTick(() => {
      this.#isFlushPlanned = false;
      this.#endBatch();
      this.#send();
    });
  }

  #endBatch(): void {
    if (this.#batch.length === 0) return;
    const frames = this.#deps.wire.output(this.#batch, this.#sequence);
    const last = frames.length - 1;
    for (const [at, frame] of frames.entries()) {
      this.#frames.push({ frame, sequence: at === last ? this.#sequence : undefined });
    }
    this.#batch = [];
    this.#batchBytes = 0;
  }

  /** Sends frames while the viewer has credit and it is its turn. */
  #send(): void {
    if (this.#isInTurn || this.#isDisposed) return;
    const [first] = this.#frames;
    if (!first) {
      this.#wake?.();
      return;
    }
    // A frame that is larger than all credit goes out alone.
    if (this.#sentBytes > 0 && this.#sentBytes + messageSize(first.frame) > CREDIT_BYTES) return;
    this.#isInTurn = true;
    this.#deps.outlet.requestTurn(() => {
      this.#isInTurn = false;
      const next = this.#frames.shift();
      if (next) this.#sendOne(next);
      this.#send();
    });
  }

  #sendOne({ frame, sequence }: PendingFrame): void {
    const size = messageSize(frame);
    this.#sentBytes += size;
    this.#deps.outlet.send(frame, (error) => {
      this.#sentBytes -= size;
      // Of a socket that closes, what was sent before may still be read by the network.
      if (!error && sequence !== undefined) this.#deps.terminal.release(sequence);
      this.#send();
    });
  }

  /** Whether one more frame could be sent at once. */
  get #hasRoom(): boolean {
    const waiting = this.#batchBytes + this.#sentBytes;
    return this.#frames.length === 0 && waiting + MAX_FRAME_BYTES <= CREDIT_BYTES;
  }

  async #room(): Promise<void> {
    const sinceMs = performance.now();
    await this.#until(() => this.#hasRoom);
    this.#behindMs += performance.now() - sinceMs;
  }

  async #until(isSo: () => boolean): Promise<void> {
    while (!this.#isDisposed && !isSo()) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }
}

const isCurrent = ({ occurredAt }: AttachmentEntry): boolean =>
  Date.now() - Date.parse(occurredAt) < CURRENT_MS;
