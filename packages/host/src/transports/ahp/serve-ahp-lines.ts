import type { Socket } from "node:net";
import { LineSplitter } from "../../operations/line-splitter.ts";
import { AhpConnection, type AhpConnectionDeps } from "./connection/ahp-connection.ts";
import { MAX_MESSAGE_BYTES } from "./connection/connection-limits.ts";
import type { MessageFrame, Wire, WireMessage } from "./connection/wire.ts";

const LINE_FEED = "\n";

/** Time for a client to read the rest. */
const MAX_ENDING_MS = 5000;

/** Lines of JSON over a byte stream; paused at first. */
class LineWire implements Wire {
  readonly #socket: Socket;
  readonly #splitter = new LineSplitter(MAX_MESSAGE_BYTES);
  #handleMessage: (message: WireMessage) => void = () => undefined;

  constructor(socket: Socket) {
    this.#socket = socket;
    socket.on("error", () => socket.destroy());
    socket.on("data", (chunk: Buffer) => this.#split(chunk));
    socket.pause();
  }

  send(frame: MessageFrame, handleSent: () => void): void {
    const socket = this.#socket;
    if (!socket.writable) {
      handleSent();
      return;
    }
    socket.cork();
    socket.write(frame);
    socket.write(LINE_FEED, () => handleSent());
    socket.uncork();
  }

  /** This wire has no close codes. */
  close(): void {
    const socket = this.#socket;
    const destroy = (): void => void socket.destroy();
    socket.end(destroy);
    // A client that does not read would keep it for ever.
    const timer = setTimeout(destroy, MAX_ENDING_MS).unref();
    socket.once("close", () => clearTimeout(timer));
  }

  onMessage(handle: (message: WireMessage) => void): void {
    this.#handleMessage = handle;
  }

  onEnd(handle: () => void): void {
    this.#socket.once("end", handle);
  }

  onClose(handle: () => void): void {
    if (this.#socket.closed) handle();
    else this.#socket.once("close", handle);
  }

  pause(): void {
    this.#socket.pause();
  }

  resume(): void {
    this.#socket.resume();
  }

  #split(chunk: Buffer): void {
    for (const line of this.#splitter.push(chunk)) {
      this.#handleMessage(line.kind === "line" ? { kind: "text", bytes: line.bytes } : line);
    }
  }
}

/** Serves one connection that speaks the Agent Host Protocol in lines of JSON, until it is over. */
export function serveAhpLines(socket: Socket, deps: Omit<AhpConnectionDeps, "wire">): void {
  new AhpConnection({ ...deps, wire: new LineWire(socket) });
}
