/** An event as a client reads it. */
export interface ReadEvent {
  readonly event: string;
  readonly id?: string;
  readonly data: unknown;
}

/** The events of a stream, and its comments as events of that name. */
export async function* readEvents(response: Response): AsyncGenerator<ReadEvent> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const chunk of response.body ?? []) {
    const blocks = (rest + decoder.decode(chunk, { stream: true })).split("\n\n");
    rest = blocks.pop() ?? "";
    for (const block of blocks) yield eventOf(block);
  }
}

function eventOf(block: string): ReadEvent {
  if (block.startsWith(":")) return { event: "comment", data: block };
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

/** Reads so many events and leaves the rest; leaving ends the stream. */
export async function takeEvents(
  events: AsyncGenerator<ReadEvent>,
  count: number,
): Promise<ReadEvent[]> {
  const taken: ReadEvent[] = [];
  while (taken.length < count) {
    const { value, done } = await events.next();
    if (done) break;
    taken.push(value);
  }
  return taken;
}
