// Browsers let all tabs of an address share six connections; a tab that nobody sees gives up the one it listens on.

/** Somebody who comes back so soon finds everything as it was. */
const HIDDEN_MS = 30_000;

/** Resolves when somebody can see this tab. */
export function whenVisible(): Promise<void> {
  return new Promise((resolve) => {
    const check = (): void => {
      if (document.hidden) return;
      document.removeEventListener("visibilitychange", check);
      resolve();
    };
    document.addEventListener("visibilitychange", check);
    check();
  });
}

/** A signal that aborts when nobody saw this tab for a while; disposed of when it is not needed any more. */
export class VisibilityWatch implements Disposable {
  readonly #controller = new AbortController();
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor() {
    document.addEventListener("visibilitychange", this.#check);
    this.#check();
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
    document.removeEventListener("visibilitychange", this.#check);
  }

  readonly #check = (): void => {
    clearTimeout(this.#timer);
    if (document.hidden) this.#timer = setTimeout(() => this.#controller.abort(), HIDDEN_MS);
  };
}
