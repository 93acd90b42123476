import { type DrawingLink, DrawingLost } from "./drawing-link.ts";

interface Request {
  /** The last change that must be drawn before; 0 when nothing was written yet. */
  readonly after: number;
  ask(link: DrawingLink): Promise<void>;
  reject(error: unknown): void;
}

/** Questions about a screen, each to be asked between two changes; one whose drawing is lost is asked again. */
export class ScreenRequests {
  #requests: Request[] = [];
  readonly #handleReturn: () => void;

  /** `handleReturn` is told when a question has to be asked again. */
  constructor(handleReturn: () => void) {
    this.#handleReturn = handleReturn;
  }

  get isEmpty(): boolean {
    return this.#requests.length === 0;
  }

  add<Result>(after: number, ask: (link: DrawingLink) => Promise<Result>): Promise<Result> {
    const { promise, resolve, reject } = Promise.withResolvers<Result>();
    const request = {
      after,
      ask: async (link: DrawingLink): Promise<void> => resolve(await ask(link)),
      reject,
    };
    this.#insert(request);
    return promise;
  }

  /** Asks what belongs before the change with this sequence; who had written nothing waits for the present. */
  askBefore(link: DrawingLink, sequence: number): void {
    this.#askIf(link, ({ after }) => after > 0 && after < sequence);
  }

  /** Asks everything up to a change that was sent. */
  askThrough(link: DrawingLink, sequence: number): void {
    this.#askIf(link, ({ after }) => after <= sequence);
  }

  rejectAll(error: Error): void {
    const requests = this.#requests;
    this.#requests = [];
    for (const request of requests) request.reject(error);
  }

  #askIf(link: DrawingLink, isDue: (request: Request) => boolean): void {
    if (this.#requests.length === 0) return;
    const due = this.#requests.filter(isDue);
    this.#requests = this.#requests.filter((request) => !due.includes(request));
    for (const request of due) this.#ask(link, request);
  }

  #ask(link: DrawingLink, request: Request): void {
    request.ask(link).catch((error: unknown) => {
      if (!(error instanceof DrawingLost)) return request.reject(error);
      this.#insert(request);
      this.#handleReturn();
    });
  }

  #insert(request: Request): void {
    const at = this.#requests.findIndex(({ after }) => after > request.after);
    this.#requests.splice(at === -1 ? this.#requests.length : at, 0, request);
  }
}
