import { type ReplicaClient, ReplicaLost } from "./drawing-link.ts";

interface PendingQuery {
  /** The last change that must be drawn before; 0 when nothing was written yet. */
  readonly after: number;
  ask(link: ReplicaClient): Promise<void>;
  reject(error: unknown): void;
}

/** Questions about a screen, each to be asked between two changes; one whose drawing is lost is asked again. */
export class ScreenRequests {
  #requests: PendingQuery[] = [];
  readonly #handleReturn: () => void;

  /** `handleReturn` is told when a question has to be asked again. */
  constructor(handleReturn: () => void) {
    this.#handleReturn = handleReturn;
  }

  get isEmpty(): boolean {
    return this.#requests.length === 0;
  }

  add<Result>(after: number, ask: (link: ReplicaClient) => Promise<Result>): Promise<Result> {
    const { promise, resolve, reject } = Promise.withResolvers<Result>();
    const request = {
      after,
      ask: async (link: ReplicaClient): Promise<void> => resolve(await ask(link)),
      reject,
    };
    this.#insert(request);
    return promise;
  }

  /** Asks what belongs before the change with this sequence; who had written nothing waits for the present. */
  askBefore(link: ReplicaClient, sequence: number): void {
    this.#askIf(link, ({ after }) => after > 0 && after < sequence);
  }

  /** Asks everything up to a change that was sent. */
  askThrough(link: ReplicaClient, sequence: number): void {
    this.#askIf(link, ({ after }) => after <= sequence);
  }

  rejectAll(error: Error): void {
    const requests = this.#requests;
    this.#requests = [];
    for (const request of requests) request.reject(error);
  }

  #askIf(link: ReplicaClient, isDue: (request: PendingQuery) => boolean): void {
    if (this.#requests.length === 0) return;
    const due = this.#requests.filter(isDue);
    this.#requests = this.#requests.filter((request) => !due.includes(request));
    for (const request of due) this.#ask(link, request);
  }

  #ask(link: ReplicaClient, request: PendingQuery): void {
    request.ask(link).catch((error: unknown) => {
      if (!(error instanceof ReplicaLost)) return request.reject(error);
      this.#insert(request);
      this.#handleReturn();
    });
  }

  #insert(request: PendingQuery): void {
    const at = this.#requests.findIndex(({ after }) => after > request.after);
    this.#requests.splice(at === -1 ? this.#requests.length : at, 0, request);
  }
}
