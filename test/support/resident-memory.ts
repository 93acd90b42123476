import type { DaemonProcess } from "./daemon-process.ts";
import { collectGarbage } from "./garbage-collection.ts";

/** How often memory is looked at. */
const LOOK_MS = 50;

/** Watches how much memory a daemon has, until it is disposed of; the daemon must be inspectable. */
export class ResidentMemory implements Disposable {
  readonly #daemon: DaemonProcess;
  readonly #before: number;
  readonly #timer: NodeJS.Timeout;
  #most: number;

  private constructor(daemon: DaemonProcess) {
    this.#daemon = daemon;
    this.#before = daemon.residentBytes;
    this.#most = this.#before;
    this.#timer = setInterval(() => this.#look(), LOOK_MS);
  }

  /** Begins to watch, without what is only garbage. */
  static async watch(daemon: DaemonProcess): Promise<ResidentMemory> {
    await collectGarbage(daemon.said.error);
    return new ResidentMemory(daemon);
  }

  /** The most there was at any time, garbage included. */
  get most(): number {
    this.#look();
    return this.#most;
  }

  /** How much more there was at any time, garbage included. */
  get mostGrowth(): number {
    return this.most - this.#before;
  }

  /** How much more there is now than at the beginning, without what is only garbage. */
  async growth(): Promise<number> {
    await collectGarbage(this.#daemon.said.error);
    return this.#daemon.residentBytes - this.#before;
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
  }

  #look(): void {
    if (this.#daemon.isRunning) this.#most = Math.max(this.#most, this.#daemon.residentBytes);
  }
}
