import { type ClientOptions, WebSocket } from "ws";

/** Long enough for a busy machine, and shorter than a test may take: who waits in vain says for what. */
const DEADLINE_MS = 20_000;

/** How a client connects. */
export interface ConnectionOptions {
  /** WebSocket protocols to offer. */
  readonly protocols?: string[];
  readonly socket?: ClientOptions;
}

/** Any JSON-RPC message. */
export interface Message {
  readonly jsonrpc?: string;
  readonly id?: number | string | null;
  readonly method?: string;
  readonly params?: unknown;
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

/** One message as it came. */
export interface Frame {
  readonly text: string;
  readonly isBinary: boolean;
  readonly message: Message;
}

/** The error that a request was answered with. */
class RpcFailure extends Error {
  readonly code: number;
  readonly data: unknown;

  constructor(method: string, { code, message, data }: NonNullable<Message["error"]>) {
    super(`${method}: ${code} ${message}`);
    this.code = code;
    this.data = data;
  }
}

/** A WebSocket with JSON-RPC that keeps everything it got, and lets tests wait for more. */
export class RpcConnection implements Disposable {
  readonly socket: WebSocket;
  /** Everything that came since the beginning, or since `forget`. */
  readonly frames: Frame[] = [];
  /** How the connection ended, once it has. */
  close: { readonly code: number; readonly reason: string } | undefined;
  /** How long something is waited for. */
  deadlineMs = DEADLINE_MS;
  readonly #pending = new Map<number, (answer: Message) => void>();
  readonly #wake = new Set<() => void>();
  #nextId = 1;

  constructor(url: string, { protocols = [], socket }: ConnectionOptions = {}) {
    this.socket = new WebSocket(url, protocols, socket);
    this.socket.on("message", (data: Buffer, isBinary: boolean) => {
      this.#take(data.toString(), isBinary);
    });
    this.socket.on("error", () => this.#tell());
    this.socket.on("close", (code: number, reason: Buffer) => {
      this.close = { code, reason: reason.toString() };
      this.#tell();
    });
  }

  /** Resolves when the connection is open; rejects with the status of a refused one. */
  async untilOpen(): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.socket.once("open", resolve);
    this.socket.once("error", reject);
    this.socket.once("unexpected-response", (_request, response) => {
      response.resume();
      reject(new Error(`refused with ${response.statusCode}`));
    });
    await promise;
  }

  /** Sends a frame as it is. */
  sendText(text: string): void {
    this.socket.send(text);
  }

  /** Sends a notification. */
  notify(method: string, params: object): void {
    this.sendText(JSON.stringify({ jsonrpc: "2.0", method, params }));
  }

  /**
   * Sends a request and resolves with the whole answer. `handleAnswer` is called with it before anything that comes behind it
   * is looked at.
   */
  async ask(
    method: string,
    params: object = {},
    handleAnswer: (answer: Message) => void = () => undefined,
  ): Promise<Message> {
    const id = this.#nextId++;
    let answered: Message | undefined;
    this.#pending.set(id, (answer) => {
      answered = answer;
      handleAnswer(answer);
    });
    this.sendText(JSON.stringify({ jsonrpc: "2.0", id, method, params }));
    await this.until(() => answered !== undefined, `the answer to ${method}`);
    return answered as unknown as Message;
  }

  /** Sends a request and resolves with its result; rejects with an `RpcFailure`. */
  async request(method: string, params: object = {}): Promise<unknown> {
    const { result, error } = await this.ask(method, params);
    if (error) throw new RpcFailure(method, error);
    return result;
  }

  /** The code of the error that a request is answered with; undefined when it succeeds. */
  async codeOf(method: string, params: object = {}): Promise<number | undefined> {
    return (await this.ask(method, params)).error?.code;
  }

  /** Resolves when something is so; looks again whenever something comes, and fails after a while with what did come. */
  async until(isSo: () => boolean, what = isSo.toString()): Promise<void> {
    const late = Promise.withResolvers<void>();
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      late.resolve();
    }, this.deadlineMs);
    try {
      while (!isSo()) {
        if (isLate || this.close) throw new Error(this.#explain(what));
        const woken = Promise.withResolvers<void>();
        this.#wake.add(woken.resolve);
        await Promise.race([woken.promise, late.promise]);
      }
    } finally {
      clearTimeout(timer);
    }
  }

  /** Resolves with how the connection was closed. */
  async untilClosed(): Promise<{ readonly code: number; readonly reason: string }> {
    await this.until(() => this.close !== undefined, "the end of the connection");
    return this.close as unknown as { readonly code: number; readonly reason: string };
  }

  /** Breaks the connection without a word, and resolves when nothing more can come. */
  async drop(): Promise<void> {
    this.socket.terminate();
    await this.untilClosed();
  }

  /** Drops what was kept, so that floods do not fill the memory. */
  forget(): void {
    this.frames.length = 0;
  }

  [Symbol.dispose](): void {
    this.socket.terminate();
  }

  /** Is told each notification before anything that comes behind it. */
  protected handleNotification(_method: string, _params: unknown): void {
    // Only who knows methods takes them.
  }

  #take(text: string, isBinary: boolean): void {
    const message = JSON.parse(text) as Message;
    this.frames.push({ text, isBinary, message });
    if (message.method !== undefined) this.handleNotification(message.method, message.params);
    else if (typeof message.id === "number") {
      const handle = this.#pending.get(message.id);
      this.#pending.delete(message.id);
      handle?.(message);
    }
    this.#tell();
  }

  #explain(what: string): string {
    const state = this.close ? `closed with ${this.close.code} ${this.close.reason}` : "connected";
    const last = this.frames.slice(-6).map(({ text }) => text.slice(0, 400));
    return `${what} did not come (${state}); the last were:\n${last.join("\n")}`;
  }

  #tell(): void {
    const wake = [...this.#wake];
    this.#wake.clear();
    for (const resolve of wake) resolve();
  }
}
