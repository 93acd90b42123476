import { monitorEventLoopDelay } from "node:perf_hooks";

/** The delay of the event loop is looked at this often; finer costs more than it tells. */
const DELAY_RESOLUTION_MS = 20;

/** How long the event loop was held up, in seconds. */
export interface EventLoopDelay {
  readonly mean: number;
  readonly p99: number;
  readonly max: number;
}

/** How many requests went which way, for `/metrics`. */
export class RequestCounts implements Disposable {
  readonly #requests = new Map<string, number>();
  readonly #delay = monitorEventLoopDelay({ resolution: DELAY_RESOLUTION_MS });
  #bytesOut = 0;
  #streams = 0;

  constructor() {
    this.#delay.enable();
  }

  /** Requests by what they asked for and the status they got. */
  get requests(): readonly {
    readonly route: string;
    readonly status: string;
    readonly count: number;
  }[] {
    return [...this.#requests].map(([key, count]) => {
      const space = key.lastIndexOf(" ");
      return { route: key.slice(0, space), status: key.slice(space + 1), count };
    });
  }

  get bytesOut(): number {
    return this.#bytesOut;
  }

  /** Event streams that are open. */
  get streams(): number {
    return this.#streams;
  }

  /** The delay since it was asked for last. */
  takeDelay(): EventLoopDelay {
    const { mean, max } = this.#delay;
    const delay = {
      mean: toSeconds(mean),
      p99: toSeconds(this.#delay.percentile(99)),
      max: toSeconds(max),
    };
    this.#delay.reset();
    return delay;
  }

  /** Counts a request by the name of its route, of which there are only so many, never by its path. */
  addRequest(route: string, status: number): void {
    const key = `${route} ${status}`;
    this.#requests.set(key, (this.#requests.get(key) ?? 0) + 1);
  }

  addBytes(count: number): void {
    this.#bytesOut += count;
  }

  addStreams(change: number): void {
    this.#streams += change;
  }

  [Symbol.dispose](): void {
    this.#delay.disable();
  }
}

/** Before the first look there is no delay, which is no number then. */
const toSeconds = (nanoseconds: number): number =>
  Number.isFinite(nanoseconds) && nanoseconds < 1e15 ? Math.max(0, nanoseconds) / 1e9 : 0;
