import type { Transferable } from "node:worker_threads";
import type { CurrentTask } from "./pulse.ts";
import { WatchedWorker } from "./screen-thread.ts";
import type { ScreenOrder, ScreenReport } from "./screen-wire.ts";

/** A thread that cannot even begin is tried again after this long, not at once and for ever. */
const RETRY_MS = 1_000;

/** What is told about one drawing. */
export type ReplicaReport = Exclude<ScreenReport, { kind: "ready" | "drawn" }>;

/** Whoever has a drawing in a lane. */
export interface ScreenWorkerClient {
  handleDrawn(sequence: number): void;
  handleReport(report: ReplicaReport): void;
  /** The thread with the drawing is gone; `doing` says what of this drawing was the reason. */
  handleLost(doing: CurrentTask | undefined): void;
}

/** A thread for drawings, and the next one when it ends; started when it is needed. */
export class ScreenWorker {
  readonly #file: URL;
  readonly #handleEnd: (error: Error) => void;
  readonly #clients = new Map<number, ScreenWorkerClient>();
  #thread: WatchedWorker | undefined;
  #lastId = 0;
  #holds = 0;
  #isClosed = false;

  constructor(file: URL, handleEnd: (error: Error) => void) {
    this.#file = file;
    this.#handleEnd = handleEnd;
  }

  /** How many drawings there are. */
  get size(): number {
    return this.#clients.size;
  }

  /** Gives a new drawing its number; `post` has to open it. */
  attach(client: ScreenWorkerClient): number {
    const id = ++this.#lastId;
    this.#clients.set(id, client);
    return id;
  }

  /** Ends a drawing; nothing is told about it any more. */
  detach(id: number): void {
    if (this.#clients.delete(id)) this.#thread?.post({ kind: "close", id });
  }

  /** Sends an order of a drawing that is attached; of one that is lost it does nothing. */
  post(order: ScreenOrder, transfer: readonly Transferable[] = []): void {
    if (this.#isClosed || !this.#clients.has(order.id)) return;
    this.#thread ??= this.#start();
    this.#thread?.post(order, transfer);
  }

  /** Keeps the process alive while somebody waits for an answer. */
  async keepAlive<Result>(answer: Promise<Result>): Promise<Result> {
    if (this.#holds++ === 0) this.#thread?.ref();
    try {
      return await answer;
    } finally {
      if (--this.#holds === 0) this.#thread?.unref();
    }
  }

  /** Ends the thread; the next order starts another. */
  async stop(): Promise<void> {
    const thread = this.#thread;
    this.#thread = undefined;
    await thread?.terminate();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#clients.clear();
    await this.stop();
  }

  /** Starts a thread; where the system has none to give, it is as if one had ended before it began. */
  #start(): WatchedWorker | undefined {
    try {
      const thread: WatchedWorker = new WatchedWorker({
        file: this.#file,
        handleReport: (report) => this.#route(report),
        handleEnd: (reason, doing) => {
          this.#handleEnd(new Error(reason));
          this.#lose(thread.isReady, doing);
        },
      });
      if (this.#holds > 0) thread.ref();
      return thread;
    } catch (error) {
      this.#handleEnd(error instanceof Error ? error : new Error(String(error)));
      this.#lose(false, undefined);
      return undefined;
    }
  }

  #route(report: ScreenReport): void {
    if (report.kind === "ready") return;
    if (report.kind !== "drawn") return this.#clients.get(report.id)?.handleReport(report);
    for (const { id, sequence } of report.all) this.#clients.get(id)?.handleDrawn(sequence);
  }

  #lose(wasReady: boolean, doing: CurrentTask | undefined): void {
    const lost = [...this.#clients];
    this.#clients.clear();
    this.#thread = undefined;
    const tell = (): void => {
      for (const [id, client] of lost) client.handleLost(doing?.id === id ? doing : undefined);
    };
    if (wasReady) tell();
    else setTimeout(tell, RETRY_MS).unref();
  }
}
