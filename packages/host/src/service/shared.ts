/** Something that is open while somebody uses it, so that it keeps no process alive when nobody does. */
export class RefCounted<Thing extends AsyncDisposable> {
  readonly #open: () => Promise<Thing>;
  #opened: Promise<Thing> | undefined;
  #users = 0;

  constructor(open: () => Promise<Thing>) {
    this.#open = open;
  }

  /** Opens it for one more user, who gives it back once. */
  async acquire(): Promise<Thing> {
    this.#users++;
    this.#opened ??= this.#open();
    try {
      return await this.#opened;
    } catch (error) {
      await this.release();
      throw error;
    }
  }

  /** Closes it when nobody uses it any more; what could not be opened is opened anew the next time. */
  async release(): Promise<void> {
    this.#users--;
    const opened = this.#opened;
    if (this.#users > 0 || !opened) return;
    this.#opened = undefined;
    // Who wanted to open it was told why it could not be.
    const thing = await opened.catch(() => undefined);
    await thing?.[Symbol.asyncDispose]();
  }
}
