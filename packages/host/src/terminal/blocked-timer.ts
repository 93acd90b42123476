import type { RecordingBlocked } from "@nacre/contracts";

/** A recorder that is started anew is back within this; only who waits longer is told. */
const MAX_BLOCKED_MS = 2000;

/** Notices that a Terminal has not been recorded for a while, so that nobody waits for what cannot be seen. */
export class BlockedTimer implements Disposable {
  readonly #read: () => RecordingBlocked | undefined;
  readonly #handleBlocked: () => void;
  #timer: NodeJS.Timeout | undefined;

  constructor(read: () => RecordingBlocked | undefined, handleBlocked: () => void) {
    this.#read = read;
    this.#handleBlocked = handleBlocked;
    this.look();
  }

  /** Looks whether it is blocked now; to be called whenever that may have changed. */
  look(): void {
    if (this.#read() === undefined) {
      this[Symbol.dispose]();
      return;
    }
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      if (this.#read()) this.#handleBlocked();
    }, MAX_BLOCKED_MS);
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}
