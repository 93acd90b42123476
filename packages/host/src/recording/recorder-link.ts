import { isMarkedAsUntransferable } from "node:worker_threads";
import { NacreError } from "@nacre/contracts";
import type { EntryRow } from "../store/store.ts";
import type { RecorderMessage, RecorderRequest } from "./recorder-service.ts";
import { buffersOf, type Part } from "./thread.ts";
import type { ControlWrite, Done, EntryWrite, Failed, RecorderState, Write } from "./write.ts";

/** A recorder that ended by itself is started again after this. */
const RESTART_MS = 250;

type WithoutTicket<Request> = Request extends unknown ? Omit<Request, "ticket"> : never;

/** What can be written, before it has a ticket. */
export type WriteRequest = WithoutTicket<EntryWrite | ControlWrite>;

interface Waiting {
  resolve(done: Done): void;
  reject(error: Error): void;
}

/** What the link tells others. */
export interface RecorderListener {
  handleState(state: RecorderState): void;
  /** An entry that nobody asked for: it says what is missing. */
  handleGap(row: EntryRow): void;
}

/** The main thread's end of the recorder: hands writes over in batches and settles them when they are committed. */
export class RecorderLink implements AsyncDisposable {
  readonly #start: () => Part;
  readonly #listener: RecorderListener;
  readonly #waiting = new Map<number, Waiting>();
  #part: Part | undefined;
  #outbox: Write[] = [];
  #lastTicket = 0;
  #isScheduled = false;
  #closed: PromiseWithResolvers<void> | undefined;

  private constructor(start: () => Part, listener: RecorderListener) {
    this.#start = start;
    this.#listener = listener;
  }

  /** Starts a recorder and waits until its store is open. */
  static async open(start: () => Part, listener: RecorderListener): Promise<RecorderLink> {
    const link = new RecorderLink(start, listener);
    await link.#connect();
    return link;
  }

  /** Writes in order; resolves once it is committed. The bytes are handed over and given back with the result. */
  write(request: WriteRequest): Promise<Done> {
    const { promise, resolve, reject } = Promise.withResolvers<Done>();
    if (this.#closed) {
      reject(new NacreError("unavailable", "the recordings are closed"));
      return promise;
    }
    const ticket = ++this.#lastTicket;
    this.#waiting.set(ticket, { resolve, reject });
    this.#outbox.push({ ...ownBytes(request), ticket });
    if (!this.#isScheduled) {
      this.#isScheduled = true;
      queueMicrotask(() => {
        this.#isScheduled = false;
        this.#send();
      });
    }
    return promise;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#closed) return this.#closed.promise;
    this.#send();
    this.#closed = Promise.withResolvers<void>();
    if (this.#part) this.#post({ kind: "close" });
    else this.#closed.resolve();
    return this.#closed.promise;
  }

  #connect(): Promise<void> {
    const ready = Promise.withResolvers<void>();
    const part = this.#start();
    this.#part = part;
    part.port.on("message", (message: RecorderMessage) => {
      if (message.kind === "ready") ready.resolve();
      else if (message.kind === "refused") {
        this.#part = undefined;
        ready.reject(new NacreError(message.problem.code, message.problem.message));
      } else this.#handle(message);
    });
    part.port.on("error", (error: Error) => {
      ready.reject(error);
      this.#handleEnd(part, error);
    });
    part.port.on("exit", () => this.#handleEnd(part, new Error("its thread ended")));
    return ready.promise;
  }

  #handle(message: Exclude<RecorderMessage, { kind: "ready" | "refused" }>): void {
    switch (message.kind) {
      case "settled":
        this.#settle(message.done, message.failed);
        return;
      case "state":
        this.#listener.handleState(message.state);
        return;
      case "gap":
        this.#listener.handleGap(message.row);
        return;
      case "closed":
        this.#failAll(new NacreError("unavailable", "the recordings are closed"));
        this.#closed?.resolve();
    }
  }

  #settle(done: readonly Done[], failed: readonly Failed[]): void {
    for (const one of done) this.#take(one.ticket)?.resolve(one);
    for (const { ticket, problem } of failed) {
      this.#take(ticket)?.reject(new NacreError(problem.code, problem.message));
    }
  }

  #take(ticket: number): Waiting | undefined {
    const waiting = this.#waiting.get(ticket);
    this.#waiting.delete(ticket);
    return waiting;
  }

  #send(): void {
    if (this.#outbox.length === 0 || this.#closed || !this.#part) return;
    const writes = this.#outbox;
    this.#outbox = [];
    this.#post({ kind: "writes", writes });
  }

  #post(request: RecorderRequest): void {
    const writes = request.kind === "writes" ? request.writes : [];
    const bytes = writes.map((write) => (write.kind === "entry" ? write.data : null));
    this.#part?.port.postMessage(request, buffersOf(bytes));
  }

  #handleEnd(part: Part, cause: Error): void {
    if (this.#part !== part) return;
    this.#part = undefined;
    this.#failAll(new NacreError("unavailable", `the recorder ended: ${cause.message}`, { cause }));
    if (this.#closed) {
      this.#closed.resolve();
      return;
    }
    const message = `the recorder ended: ${cause.message}`;
    const since = Date.now();
    this.#listener.handleState({ state: "degraded", reason: "storeFailed", message, since });
    this.#restartSoon();
  }

  #restartSoon(): void {
    setTimeout(() => {
      if (this.#closed) return;
      this.#connect().then(
        () => {
          this.#listener.handleState({ state: "ok" });
          this.#send();
        },
        () => this.#restartSoon(),
      );
    }, RESTART_MS).unref();
  }

  #failAll(error: Error): void {
    const waiting = [...this.#waiting.values()];
    this.#waiting.clear();
    this.#outbox = [];
    for (const one of waiting) one.reject(error);
  }
}

/** Bytes are handed over with their whole buffer, so those that share one are copied first. */
function ownBytes(request: WriteRequest): WriteRequest {
  if (request.kind !== "entry" || !request.data) return request;
  const { data } = request;
  const isOwn = data.byteOffset === 0 && !isMarkedAsUntransferable(data.buffer);
  return isOwn ? request : { ...request, data: data.slice() };
}
