import type { Writable } from "node:stream";
import { encodeEventMessage } from "../../operations/encoded-message.ts";
import type { IpcMessage } from "./answer.ts";

/** Writes messages as lines; a write waits for the reader, so that nothing piles up for one that does not read. */
export class LineWriter {
  readonly #socket: Writable;

  constructor(socket: Writable) {
    this.#socket = socket;
  }

  /** Resolves when there is room for the next message, or nobody reads any more. */
  async write(message: IpcMessage): Promise<void> {
    const socket = this.#socket;
    if (!socket.writable || socket.write(encodeLine(message))) return;
    await new Promise<void>((resolve) => {
      const finish = (): void => {
        socket.off("drain", finish).off("close", finish);
        resolve();
      };
      socket.on("drain", finish).on("close", finish);
    });
  }
}

const encodeLine = (message: IpcMessage): Buffer | string =>
  message.type === "event"
    ? Buffer.concat([encodeEventMessage(message), LINE_FEED])
    : `${JSON.stringify(message)}\n`;

const LINE_FEED = Buffer.from("\n");
