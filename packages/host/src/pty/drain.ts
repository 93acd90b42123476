/** How long the exit waits for the end of output when another program keeps it open. */
const DRAIN_MS = 500;

/** How soon the drain looks again while bytes are still there to read. */
const DRAIN_AGAIN_MS = 20;

/** What a drain needs of the output it belongs to. */
export interface OutputDrainOptions {
  /** More than this after the exit was written by another program. */
  readonly maxBytes: number;
  /** True when there are bytes to read now. */
  isReadable(): boolean;
  /** The end of the output did not come; the exit is to be reported without it. */
  giveUp(): void;
}

/** Says for how long what an ended program left in the kernel is fetched, even for a reader that is behind. */
export class OutputDrain {
  readonly #options: OutputDrainOptions;
  #fromOffset = 0;
  #isOn = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: OutputDrainOptions) {
    this.#options = options;
  }

  /** Whether all there is has to be read now. */
  get isOn(): boolean {
    return this.#isOn;
  }

  /** The program ended; so many bytes were read before. */
  start(offset: number): void {
    this.#isOn = true;
    this.#fromOffset = offset;
    this.#timer = setTimeout(() => this.#check(), DRAIN_MS);
  }

  /** So many bytes were read by now. */
  handleRead(offset: number): void {
    if (offset - this.#fromOffset >= this.#options.maxBytes) this.#isOn = false;
  }

  /** The output ended. */
  stop(): void {
    clearTimeout(this.#timer);
  }

  #check(): void {
    if (this.#isOn && this.#options.isReadable()) {
      this.#timer = setTimeout(() => this.#check(), DRAIN_AGAIN_MS);
      return;
    }
    this.#isOn = false;
    this.#options.giveUp();
  }
}
