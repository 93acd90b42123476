/** Does something once nobody stopped it for a while; keeps no process alive. */
export class IdleTimer {
  readonly #handleIdle: () => void;
  #timer: NodeJS.Timeout | undefined;
  #dueAt = 0;

  constructor(handleIdle: () => void) {
    this.#handleIdle = handleIdle;
  }

  /** Waits no longer than this from now; what waits less already goes on. */
  start(idleMs: number): void {
    const dueAt = performance.now() + idleMs;
    if (this.#timer && this.#dueAt <= dueAt) return;
    this.stop();
    this.#dueAt = dueAt;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#handleIdle();
    }, idleMs).unref();
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}
