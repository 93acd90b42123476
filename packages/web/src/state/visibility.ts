// All tabs of an origin share six HTTP/1.1 connections; a hidden tab gives up its event stream.

/** Shorter absences keep the connection. */
const HIDDEN_MS = 30_000;

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

/** Aborted when the tab was hidden for a while. */
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
