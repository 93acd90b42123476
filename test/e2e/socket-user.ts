import type { OpenTerminal, TerminalMessage } from "@nacre/client";
import type { Size, TerminalId } from "@nacre/contracts";
import { ClientUser } from "./client-user.ts";
import type { Launch } from "./terminal-user.ts";

/** Types, sizes and looks over the WebSocket of bytes; what it has no words for is asked over HTTP, as the page does. */
export class SocketUser extends ClientUser {
  readonly #messages: TerminalMessage[] = [];
  #opened: OpenTerminal | undefined;
  #typedAfter = 0;
  #handleNews: () => void = () => undefined;

  override async create(launch: Launch): Promise<TerminalId> {
    const id = await super.create(launch);
    const handleConnection = (): void => this.#handleNews();
    const opened = this.client.openTerminal(id, { cursor: 0, handleConnection });
    this.#opened = opened;
    void this.#collect(opened);
    await this.#until(() => opened.isConnected);
    return id;
  }

  override async type(text: string): Promise<void> {
    await this.noteTyping();
    this.#typedAfter = textOf(this.#messages).length;
    this.#socket.write(text);
  }

  override async untilText(text: string): Promise<void> {
    await this.#until(() => textOf(this.#messages).slice(this.#typedAfter).includes(text));
  }

  override async resize(size: Size): Promise<Size> {
    const told = (): readonly Size[] =>
      this.#messages.flatMap((message) => (message.kind === "size" ? message.size : []));
    const before = told().length;
    this.#socket.resize(size);
    await this.#until(() => told().length > before);
    return told().at(-1)!;
  }

  override async untilExit(): Promise<number | null> {
    const exit = () => this.#messages.find((message) => message.kind === "exit");
    await this.#until(() => exit() !== undefined);
    return exit()?.exitCode ?? null;
  }

  override async readAll(): Promise<string> {
    await using again = this.client.openTerminal(this.id, { cursor: 0 });
    const messages: TerminalMessage[] = [];
    for await (const message of again) messages.push(message);
    return textOf(messages);
  }

  override async [Symbol.asyncDispose](): Promise<void> {
    await this.#opened?.[Symbol.asyncDispose]();
    await super[Symbol.asyncDispose]();
  }

  get #socket(): OpenTerminal {
    if (this.#opened === undefined) throw new Error("there is no terminal yet");
    return this.#opened;
  }

  /** Reads on and on, as a page does. */
  async #collect(opened: OpenTerminal): Promise<void> {
    for await (const message of opened) {
      this.#messages.push(message);
      this.#handleNews();
    }
  }

  async #until(isSo: () => boolean): Promise<void> {
    while (!isSo()) await new Promise<void>((resolve) => (this.#handleNews = resolve));
  }
}

const textOf = (messages: readonly TerminalMessage[]): string =>
  Buffer.concat(
    messages.flatMap((message) => (message.kind === "bytes" ? message.bytes : [])),
  ).toString();
