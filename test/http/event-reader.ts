import {
  type ReadEvent,
  readEvents,
} from "../../packages/host/src/transports/http/testing/read-events.ts";

/** Reads a stream of events as a client does, and can leave it at any point. */
export class EventReader implements Disposable {
  readonly #leave = new AbortController();
  readonly #events: AsyncGenerator<ReadEvent>;

  private constructor(response: Response, leave: AbortController) {
    this.#leave = leave;
    this.#events = readEvents(response);
  }

  /** Opens a stream; whatever is not a stream is an error. */
  static async open(
    url: string,
    headers: Readonly<Record<string, string>>,
    path: string,
  ): Promise<EventReader> {
    const leave = new AbortController();
    const response = await fetch(url + path, { headers, signal: leave.signal });
    if (response.status !== 200) throw new Error(`${response.status} ${await response.text()}`);
    return new EventReader(response, leave);
  }

  /** The next event, or undefined at the end. */
  async next(): Promise<ReadEvent | undefined> {
    for (;;) {
      const { value, done } = await this.#events.next();
      if (done) return undefined;
      // Heartbeats come whenever they come.
      if (value.event !== "comment") return value;
    }
  }

  /** The events up to the first that is meant, with it. */
  async until(isMeant: (event: ReadEvent) => boolean): Promise<ReadEvent[]> {
    const heard: ReadEvent[] = [];
    for (let event = await this.next(); event !== undefined; event = await this.next()) {
      heard.push(event);
      if (isMeant(event)) return heard;
    }
    throw new Error(`the stream ended after ${JSON.stringify(heard.at(-1))}`);
  }

  [Symbol.dispose](): void {
    this.#leave.abort();
  }
}
