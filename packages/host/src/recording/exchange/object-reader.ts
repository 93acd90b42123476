import type { ByteCursor } from "./byte-cursor.ts";
import { parseJson, skipBlank, takeByte, takeValue } from "./json-value.ts";
import { MalformedCastError } from "./malformed.ts";

const CLOSING_BRACE = "}".charCodeAt(0);

/** Reads a JSON object member by member, so that a large member can be read in its own way. */
export class JsonObjectReader {
  readonly #cursor: ByteCursor;
  readonly #maxBytes: number;
  #usedBytes = 0;
  #hasBegun = false;

  /** All keys and values that it takes itself may have so many bytes together. */
  constructor(cursor: ByteCursor, maxBytes: number) {
    this.#cursor = cursor;
    this.#maxBytes = maxBytes;
  }

  /** Takes the next key; its value must be taken before the next call; nothing after the last. */
  takeKey(): string | undefined {
    return this.#counted(() => {
      if (this.#endsHere()) return undefined;
      const key = parseJson(takeValue(this.#cursor, this.#spaceBytes()));
      if (typeof key !== "string") throw new MalformedCastError("a key is not a string");
      skipBlank(this.#cursor);
      takeByte(this.#cursor, ":");
      skipBlank(this.#cursor);
      return key;
    });
  }

  /** Takes the text of the value that the last key has. */
  takeValue(): string {
    return this.#counted(() => takeValue(this.#cursor, this.#spaceBytes()));
  }

  #endsHere(): boolean {
    if (!this.#hasBegun) takeByte(this.#cursor, "{");
    if (skipBlank(this.#cursor) === CLOSING_BRACE) {
      takeByte(this.#cursor, "}");
      return true;
    }
    if (this.#hasBegun) takeByte(this.#cursor, ",");
    this.#hasBegun = true;
    skipBlank(this.#cursor);
    return false;
  }

  #spaceBytes(): number {
    return Math.max(0, this.#maxBytes - this.#usedBytes);
  }

  #counted<Result>(take: () => Result): Result {
    const from = this.#cursor.position;
    const taken = take();
    this.#usedBytes += this.#cursor.position - from;
    if (this.#usedBytes > this.#maxBytes) {
      throw new MalformedCastError(`the header has more than ${this.#maxBytes} bytes`);
    }
    return taken;
  }
}
