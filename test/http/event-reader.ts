/** An event as a client reads it. */
export interface HeardEvent {
  readonly event: string;
  readonly id?: string;
  readonly data: unknown;
}

/** Reads a stream of events as a client does, and can leave it at any point. */
export class EventReader implements Disposable {
  readonly #leave = new AbortController();
  readonly #events: AsyncGenerator<HeardEvent>;

  private constructor(response: Response, leave: AbortController) {
    this.#leave = leave;
    this.#events = eventsOf(response);
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
  async next(): Promise<HeardEvent | undefined> {
    const { value, done } = await this.#events.next();
    return done ? undefined : value;
  }

  /** The events up to the first that is meant, with it. */
  async until(isMeant: (event: HeardEvent) => boolean): Promise<HeardEvent[]> {
    const heard: HeardEvent[] = [];
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

async function* eventsOf(response: Response): AsyncGenerator<HeardEvent> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const chunk of response.body ?? []) {
    const blocks = (rest + decoder.decode(chunk, { stream: true })).split("\n\n");
    rest = blocks.pop() ?? "";
    for (const block of blocks) if (!block.startsWith(":")) yield eventOf(block);
  }
}

function eventOf(block: string): HeardEvent {
  const fields = new Map(
    block.split("\n").map((line) => {
      const colon = line.indexOf(": ");
      return [line.slice(0, colon), line.slice(colon + 2)] as const;
    }),
  );
  const id = fields.get("id");
  return {
    event: fields.get("event") ?? "",
    ...(id === undefined ? {} : { id }),
    data: JSON.parse(fields.get("data") ?? "null") as unknown,
  };
}
