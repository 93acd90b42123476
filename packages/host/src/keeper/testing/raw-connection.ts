import { once } from "node:events";
import { connect, type Socket } from "node:net";
import {
  createHello,
  encodeHeader,
  FRAME_TYPES,
  FrameReader,
  parseJsonPayload,
} from "../frames.ts";
import type { Fields } from "../wire-fields.ts";

/** A connection that says whatever a test wants, and remembers what it is told. */
export class RawConnection implements Disposable {
  readonly socket: Socket;
  /** Everything the keeper said: type, value and JSON. */
  readonly heard: { readonly type: number; readonly value: number; readonly fields: Fields }[] = [];
  readonly #reader = new FrameReader({
    roomFor: () => undefined,
    handleFrame: ({ type, value }, payload) => {
      const isJson = payload[0] === "{".charCodeAt(0);
      this.heard.push({ type, value, fields: isJson ? parseJsonPayload(payload) : {} });
      this.socket.emit("heard");
    },
  });

  constructor(socketPath: string) {
    this.socket = connect(socketPath);
    this.socket.on("data", (bytes: Buffer) => this.#reader.push(bytes));
    this.socket.on("error", () => undefined);
  }

  /** Says who it is; whatever is given differs from the truth. */
  hello(differing: Fields = {}): void {
    this.say(FRAME_TYPES.hello, JSON.stringify({ ...createHello("raw"), ...differing }));
  }

  say(type: number, payload: string | Uint8Array, value = 0): void {
    const bytes = Buffer.from(payload);
    this.socket.write(Buffer.concat([encodeHeader({ type, pty: 1, value }, bytes.length), bytes]));
  }

  /** Resolves with the first frame of a type. */
  async hear(type: number): Promise<Fields> {
    for (;;) {
      const found = this.heard.find((one) => one.type === type);
      if (found) return found.fields;
      await once(this.socket, "heard");
    }
  }

  /** Resolves when the keeper closed it. */
  async closed(): Promise<void> {
    if (!this.socket.closed) await once(this.socket, "close");
  }

  [Symbol.dispose](): void {
    this.socket.destroy();
  }
}
