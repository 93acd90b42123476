import { connect, type Socket } from "node:net";
import type { EntityEventEnvelope } from "@nacre/contracts";

/** One line of the host. */
export interface Said {
  readonly type: "response" | "event" | "resync";
  readonly id?: string | number | null;
  readonly ok?: boolean;
  readonly result?: unknown;
  readonly error?: { readonly code: string; readonly message: string; readonly suggestion: string };
  readonly event?: EntityEventEnvelope;
}

/** A client that keeps every line it got, and lets tests wait for more. */
export class LineClient implements Disposable {
  readonly socket: Socket;
  readonly said: Said[] = [];
  #rest = "";
  #nextId = 1;
  #isClosed = false;
  #wake = Promise.withResolvers<void>();

  constructor(path: string) {
    this.socket = connect(path);
    this.socket.setEncoding("utf8");
    this.socket.on("data", (text: string) => this.#take(text));
    this.socket.on("error", () => undefined);
    this.socket.on("close", () => {
      this.#isClosed = true;
      this.#tell();
    });
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  get events(): readonly EntityEventEnvelope[] {
    return this.said.flatMap(({ event }) => event ?? []);
  }

  /** Sends a line as it is. */
  send(line: string | Uint8Array): void {
    this.socket.write(line);
    this.socket.write("\n");
  }

  /** Sends a request, and resolves with its answer. */
  async ask(method: string, params?: unknown, more: object = {}): Promise<Said> {
    const id = `r${this.#nextId++}`;
    this.send(JSON.stringify({ type: "request", id, method, params, ...more }));
    return await this.until((said) => said.id === id);
  }

  /** The result of a request; throws what the host refused it with. */
  async result(method: string, params?: unknown): Promise<unknown> {
    const { ok, result, error } = await this.ask(method, params);
    if (ok === true) return result;
    throw new Error(`${error?.code}: ${error?.message}`);
  }

  /** Resolves with the first line, past or future, that is wanted; fails when the connection ends without it. */
  async until(isWanted: (said: Said) => boolean): Promise<Said> {
    for (;;) {
      const found = this.said.find(isWanted);
      if (found) return found;
      if (this.#isClosed) throw new Error("the connection ended");
      await this.#wake.promise;
    }
  }

  /** Resolves when the host has closed the connection. */
  async closed(): Promise<void> {
    while (!this.#isClosed) await this.#wake.promise;
  }

  [Symbol.dispose](): void {
    this.socket.destroy();
  }

  #take(text: string): void {
    const lines = (this.#rest + text).split("\n");
    this.#rest = lines.pop() ?? "";
    for (const line of lines) this.said.push(JSON.parse(line) as Said);
    if (lines.length > 0) this.#tell();
  }

  #tell(): void {
    const { resolve } = this.#wake;
    this.#wake = Promise.withResolvers();
    resolve();
  }
}
