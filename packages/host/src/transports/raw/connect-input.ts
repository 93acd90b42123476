import { NacreError, parse, type Size } from "@nacre/contracts";
import type { AttachedTerminal } from "./attached-terminal.ts";
import { ClientControl, controlFrame, errorFrame } from "./connect-frames.ts";
import type { CursorQueries } from "./cursor-queries.ts";
import { ResizeThrottle } from "./last-size.ts";
import { parseJsonText } from "../../operations/json-text.ts";
import type { ClientSocket } from "../../socket/client-socket.ts";
import { toClientError } from "./refusal.ts";
import { SocketInputWriter } from "./typing.ts";

/** What the messages of a client go to. */
export interface ConnectInputDeps {
  readonly socket: ClientSocket;
  readonly terminal: AttachedTerminal;
  readonly queries: CursorQueries;
  /** Whether text frames are control; otherwise they are typed as they are. */
  readonly hasControl: boolean;
  readonly handleProblem: (error: unknown) => void;
}

/** Does what a client says: bytes are typed, and with control text says what else to do. */
export class ConnectInput implements Disposable {
  readonly #deps: ConnectInputDeps;
  readonly #writer: SocketInputWriter;
  readonly #size: ResizeThrottle;

  constructor(parts: ConnectInputDeps) {
    this.#deps = parts;
    this.#writer = new SocketInputWriter(parts.socket);
    this.#size = new ResizeThrottle((size) => void this.#resize(size).catch(this.#refuse));
  }

  /** Takes one message. */
  handle(bytes: Buffer, isText: boolean): void {
    if (!isText || !this.#deps.hasControl) this.#type(bytes);
    else this.#control(bytes);
  }

  [Symbol.dispose](): void {
    this.#writer[Symbol.dispose]();
    this.#size[Symbol.dispose]();
  }

  #control(text: Buffer): void {
    try {
      const control = parse(ClientControl, parseJsonText(text.toString()));
      switch (control.type) {
        case "resize":
          this.#size.request({ cols: control.cols, rows: control.rows });
          return;
        case "input":
          this.#type(Buffer.from(control.data));
          return;
        case "ping":
          this.#deps.socket.answer(controlFrame({ type: "pong" }));
          return;
      }
    } catch (error) {
      this.#refuse(error);
    }
  }

  /** The host has answered what programs ask, so that what emulators answer is left out. */
  #type(bytes: Buffer): void {
    if (bytes.byteLength === 0 || this.#deps.queries.isReply(bytes)) return;
    this.#writer.write(this.#deps.terminal, bytes).catch(this.#refuse);
  }

  /** The size of a terminal follows whoever drives it; everybody else is told which it is. */
  async #resize(asked: Size): Promise<void> {
    const { cols, rows } = await this.#deps.terminal.resize(asked);
    const isOther = cols !== asked.cols || rows !== asked.rows;
    if (isOther) this.#deps.socket.answer(controlFrame({ type: "size", cols, rows }));
  }

  readonly #refuse = (error: unknown): void => {
    if (!(error instanceof NacreError)) this.#deps.handleProblem(error);
    if (this.#deps.hasControl) this.#deps.socket.answer(errorFrame(toClientError(error)));
  };
}
