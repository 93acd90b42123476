import type { AttachedTerminal, FeedEntry, FeedMessage } from "./attached-terminal.ts";
import {
  CREDIT_BYTES,
  type Frame,
  MAX_FRAME_BYTES,
  type Outlet,
  sizeOf,
} from "../../socket/outlet.ts";
import type { Ending, Wire } from "./wire.ts";

/** A viewer that kept us waiting for this long since it last had everything is skipped forward to a fresh snapshot. */
const MAX_BEHIND_MS = 2000;

/** Who gets what is younger than this has everything. */
const CURRENT_MS = 250;

/** What a viewer is made of. */
export interface ViewerParts {
  readonly terminal: Pick<AttachedTerminal, "next" | "release" | "skip">;
  readonly outlet: Outlet;
  readonly wire: Wire;
  /** Goes out before everything else. */
  readonly first?: readonly Frame[];
  /** Is told of output on its way. */
  handleOutput?(output: Uint8Array): void;
  readonly maxBehindMs?: number | undefined;
}

/** A frame that waits, and the entry whose output ends with it, if one does. */
interface Waiting {
  readonly frame: Frame;
  readonly sequence?: number | undefined;
}

/**
 * Tells one viewer of one terminal at the viewer's own pace: nothing is fetched that the socket has no room for.
 * Who does not read holds a bounded amount of memory, slows nobody, and gets a snapshot when it reads again.
 */
export class Viewer implements Disposable {
  readonly #parts: ViewerParts;
  readonly #frames: Waiting[] = [];
  #burst: Uint8Array[] = [];
  #burstBytes = 0;
  #sequence = 0;
  #isFlushPlanned = false;
  #isInTurn = false;
  #sentBytes = 0;
  #behindMs = 0;
  #ending: Ending | undefined;
  #isDisposed = false;
  #wake: (() => void) | undefined;

  constructor(parts: ViewerParts) {
    this.#parts = parts;
  }

  /** Resolves when everything was told, with how the program ended if that was part of it; or once disposed. */
  async run(): Promise<Ending | undefined> {
    const { terminal, first = [], maxBehindMs = MAX_BEHIND_MS } = this.#parts;
    this.#tell(first);
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
  async finish(frames: readonly Frame[]): Promise<void> {
    this.#tell(frames);
    await this.#until(() => this.#frames.length === 0 && this.#sentBytes === 0);
  }

  [Symbol.dispose](): void {
    this.#isDisposed = true;
    this.#frames.length = 0;
    this.#burst = [];
    this.#wake?.();
  }

  #tell(frames: readonly Frame[]): void {
    this.#endBurst();
    this.#frames.push(...frames.map((frame) => ({ frame })));
    this.#send();
  }

  #take(message: FeedMessage): void {
    const { wire } = this.#parts;
    if (message.kind === "snapshot") {
      // What is behind this picture need not be told any more.
      this.#burst = [];
      this.#burstBytes = 0;
      this.#tell(wire.snapshot(message.screen));
      return;
    }
    const { entry, view } = message;
    if (this.#behindMs > 0 && isCurrent(entry)) this.#behindMs = 0;
    if (view) this.#add(view, entry.sequence);
    else this.#tellEntry(entry);
  }

  #tellEntry(entry: FeedEntry): void {
    if (entry.type === "exit") this.#ending = entry;
    const frames = this.#parts.wire.entry(entry);
    if (frames.length > 0) this.#tell(frames);
  }

  #add(view: Uint8Array, sequence: number): void {
    if (this.#burstBytes + view.byteLength > MAX_FRAME_BYTES) this.#endBurst();
    this.#parts.handleOutput?.(view);
    this.#burst.push(view);
    this.#burstBytes += view.byteLength;
    this.#sequence = sequence;
    if (this.#isFlushPlanned) return;
    this.#isFlushPlanned = true;
    // Everything that is ready by now is fetched first, and becomes one frame.
    process.nextTick(() => {
      this.#isFlushPlanned = false;
      this.#endBurst();
      this.#send();
    });
  }

  #endBurst(): void {
    if (this.#burst.length === 0) return;
    const frames = this.#parts.wire.output(this.#burst, this.#sequence);
    const last = frames.length - 1;
    for (const [at, frame] of frames.entries()) {
      this.#frames.push({ frame, sequence: at === last ? this.#sequence : undefined });
    }
    this.#burst = [];
    this.#burstBytes = 0;
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
    if (this.#sentBytes > 0 && this.#sentBytes + sizeOf(first.frame) > CREDIT_BYTES) return;
    this.#isInTurn = true;
    this.#parts.outlet.turn(() => {
      this.#isInTurn = false;
      const next = this.#frames.shift();
      if (next) this.#sendOne(next);
      this.#send();
    });
  }

  #sendOne({ frame, sequence }: Waiting): void {
    const size = sizeOf(frame);
    this.#sentBytes += size;
    this.#parts.outlet.send(frame, (error) => {
      this.#sentBytes -= size;
      // Of a socket that closes, what was sent before may still be read by the network.
      if (!error && sequence !== undefined) this.#parts.terminal.release(sequence);
      this.#send();
    });
  }

  /** Whether one more frame could be sent at once. */
  get #hasRoom(): boolean {
    const waiting = this.#burstBytes + this.#sentBytes;
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

const isCurrent = ({ occurredAt }: FeedEntry): boolean =>
  Date.now() - Date.parse(occurredAt) < CURRENT_MS;
