export interface SseEvent {
  /** Default `message`. */
  readonly name: string;
  readonly data: string;
  /** From this or an earlier event; empty when there was none. */
  readonly lastEventId: string;
}

/** Bounds what a host can make us hold. */
export const MAX_EVENT_LENGTH = 16 * 1024 * 1024;

const LINE_END = /\r\n|\n|\r/g;

/** Incremental, independent of chunking. */
export class SseParser {
  /** Drops a BOM, as the format says. */
  readonly #decoder = new TextDecoder();
  /** Chunks of the current line; joined once, so that a long line costs no more than its length. */
  #line: string[] = [];
  #lineLength = 0;
  #endedByReturn = false;
  #name = "";
  #data: string[] = [];
  #dataLength = 0;
  #lastEventId = "";

  /** Throws when an event exceeds the limit. */
  push(bytes: Uint8Array): readonly SseEvent[] {
    let text = this.#decoder.decode(bytes, { stream: true });
    if (text === "") return [];
    // A CR at the end of the last chunk has ended its line already.
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

  /** Other fields, and comments, are ignored. */
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
