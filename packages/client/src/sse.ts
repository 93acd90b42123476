/** One event of a `text/event-stream`. */
export interface SseEvent {
  /** What the event is called; `message` when nobody says. */
  readonly name: string;
  readonly data: string;
  /** The last `id` that was told, by this event or an earlier one; empty when none was. */
  readonly lastEventId: string;
}

/** A longer event is no event of ours; without a bound a host could fill the memory. */
export const MAX_EVENT_LENGTH = 16 * 1024 * 1024;

const LINE_END = /\r\n|\n|\r/g;

/** Takes a `text/event-stream` apart as it comes, however it is cut. */
export class SseParser {
  /** Leaves out a byte order mark, as the format says. */
  readonly #decoder = new TextDecoder();
  /** The line that has begun, in the pieces that came; joined once, so that a long line costs no more than its length. */
  #line: string[] = [];
  #lineLength = 0;
  #endedByReturn = false;
  #name = "";
  #data: string[] = [];
  #dataLength = 0;
  #lastEventId = "";

  /** The events that these bytes complete; throws when an event does not end. */
  push(bytes: Uint8Array): readonly SseEvent[] {
    let text = this.#decoder.decode(bytes, { stream: true });
    if (text === "") return [];
    // A return at the end of the last piece has ended its line already.
    if (this.#endedByReturn && text.startsWith("\n")) text = text.slice(1);
    this.#endedByReturn = text.endsWith("\r");
    const events: SseEvent[] = [];
    let start = 0;
    for (const { 0: end, index } of text.matchAll(LINE_END)) {
      const line = [...this.#line, text.slice(start, index)].join("");
      this.#line = [];
      this.#lineLength = 0;
      const event = this.#take(line);
      if (event !== undefined) events.push(event);
      start = index + end.length;
    }
    if (start < text.length) this.#hold(text.slice(start));
    return events;
  }

  #hold(piece: string): void {
    this.#line.push(piece);
    this.#lineLength += piece.length;
    this.#checkLength();
  }

  #checkLength(): void {
    if (this.#lineLength + this.#dataLength > MAX_EVENT_LENGTH) {
      throw new RangeError(`an event of the stream is longer than ${MAX_EVENT_LENGTH}`);
    }
  }

  #take(line: string): SseEvent | undefined {
    if (line === "") return this.#dispatch();
    const colon = line.indexOf(":");
    const field = colon === -1 ? line : line.slice(0, colon);
    const text = colon === -1 ? "" : line.slice(colon + 1);
    this.#setField(field, text.startsWith(" ") ? text.slice(1) : text);
    return undefined;
  }

  /** Other fields, and comments, which have an empty name, do not count. */
  #setField(field: string, value: string): void {
    if (field === "event") this.#name = value;
    if (field === "data") {
      this.#data.push(value);
      this.#dataLength += value.length;
      this.#checkLength();
    }
    if (field === "id" && !value.includes("\0")) this.#lastEventId = value;
  }

  #dispatch(): SseEvent | undefined {
    const name = this.#name;
    const data = this.#data;
    this.#name = "";
    this.#data = [];
    this.#dataLength = 0;
    if (data.length === 0) return undefined;
    return { name: name || "message", data: data.join("\n"), lastEventId: this.#lastEventId };
  }
}
