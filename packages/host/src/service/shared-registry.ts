import type { Registry } from "../registry/registry.ts";

/** A registry with everything that it needs; disposing it ends its terminals. */
export interface OpenRegistry extends AsyncDisposable {
  readonly registry: Registry;
}

/** A registry that is open while somebody uses it, so that it keeps no process alive when nobody does. */
export class SharedRegistry {
  readonly #open: () => Promise<OpenRegistry>;
  #opened: Promise<OpenRegistry> | undefined;
  #users = 0;

  constructor(open: () => Promise<OpenRegistry>) {
    this.#open = open;
  }

  /** Opens it for one more user, who gives it back once. */
  async take(): Promise<Registry> {
    this.#users++;
    this.#opened ??= this.#open();
    try {
      return (await this.#opened).registry;
    } catch (error) {
      await this.giveBack();
      throw error;
    }
  }

  /** Closes it when nobody uses it any more; one that could not be opened is opened anew next time. */
  async giveBack(): Promise<void> {
    this.#users--;
    const opened = this.#opened;
    if (this.#users > 0 || !opened) return;
    this.#opened = undefined;
    // Who wanted to open it was told why it could not be.
    const open = await opened.catch(() => undefined);
    await open?.[Symbol.asyncDispose]();
  }
}
