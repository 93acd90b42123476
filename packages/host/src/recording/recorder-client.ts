import { isMarkedAsUntransferable } from "node:worker_threads";
import { decodeError, NacreError, type TerminalId } from "@nacre/contracts";
import type { EntryRow } from "../store/store.ts";
import { InFlightWrites, type PendingWrite, terminalsWithOutput } from "./in-flight-writes.ts";
import { encodeFact } from "./recorded-entry.ts";
import type { RecorderMessage, RecorderRequest } from "./recorder.ts";
import { buffersOf, type WorkerHandle } from "../base/worker.ts";
import {
  type CommittedWrite,
  type NonEntryWrite,
  type DiskSpace,
  endsRecording,
  type EntryWrite,
  type RecorderState,
  type Write,
  type WriteResults,
} from "./write.ts";

/** Delay before a crashed recorder is restarted. */
const RESTART_MS = 250;

/** Input waits this long for its echo, so that one commit covers both: whoever types sees it sooner. */
const ECHO_WAIT_MS = 2;

type WithoutTicket<Request> = Request extends unknown ? Omit<Request, "ticket"> : never;

export type WriteRequest = WithoutTicket<EntryWrite | NonEntryWrite>;

export interface RecorderListener {
  handleState(state: RecorderState): void;
  handleSpace?(space: DiskSpace): void;
  /** A gap entry that nobody asked for. */
  handleGap(row: EntryRow): void;
}

/**
 * The recorder's client in the main thread: sends writes in batches and settles them when committed. It has its own
 * messages instead of `base/port-rpc.ts`: one per batch, and writes outlive the worker they were sent to.
 */
export class RecorderClient implements AsyncDisposable {
  readonly #start: () => WorkerHandle;
  readonly #listener: RecorderListener;
  readonly #inFlight = new InFlightWrites();
  /** The next batch, with its buffers. */
  #outbox: PendingWrite[] = [];
  #buffers = new Set<ArrayBuffer>();
  /** Terminals whose output was given up and whose gap entry may not be written yet. */
  readonly #owedGaps = new Set<TerminalId>();
  #worker: WorkerHandle | undefined;
  /** As last reported by the recorder. */
  #isWriting = true;
  #lastTicket = 0;
  #isScheduled = false;
  #echoTimer: NodeJS.Timeout | undefined;
  #closed: PromiseWithResolvers<void> | undefined;
  #recovered = Promise.withResolvers<void>();

  private constructor(start: () => WorkerHandle, listener: RecorderListener) {
    this.#start = start;
    this.#listener = listener;
  }

  /** Resolves when the store is open. */
  static async open(
    start: () => WorkerHandle,
    listener: RecorderListener,
  ): Promise<RecorderClient> {
    const link = new RecorderClient(start, listener);
    await link.#connect();
    return link;
  }

  /**
   * In order; resolves once committed. Bytes that start their buffer are transferred with all of it and returned with
   * the result.
   */
  async write(request: WriteRequest): Promise<CommittedWrite> {
    if (this.#closed) throw closedError();
    const { promise, resolve, reject } = Promise.withResolvers<CommittedWrite>();
    const write = { ...this.#withOwnBytes(request), ticket: ++this.#lastTicket };
    this.#outbox.push({ write, tries: 0, resolve, reject });
    if (isInput(write)) this.#echoTimer ??= setTimeout(() => this.#send(), ECHO_WAIT_MS);
    else this.#schedule();
    return promise;
  }

  /** The newest entry of a recording that continues: later writes can be sent again. */
  resume(id: TerminalId, sequence: number): void {
    this.#inFlight.resume(id, sequence);
  }

  /** Resolves the next time that recordings can be written again. */
  get recovered(): Promise<void> {
    return this.#recovered.promise;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#closed) return this.#closed.promise;
    this.#send();
    this.#closed = Promise.withResolvers<void>();
    if (this.#worker) this.#post({ kind: "close" });
    else this.#finish();
    return this.#closed.promise;
  }

  /** Resolves when the recorder is ready; rejects when it never was, also where no thread could be started. */
  async #connect(): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const worker = this.#start();
    const handleEnd = (cause: Error): void => {
      reject(cause);
      if (this.#worker === worker) this.#handleEnd(cause);
    };
    worker.port.on("message", (message: RecorderMessage) => {
      if (message.kind === "ready") {
        this.#worker = worker;
        this.#isWriting = true;
        resolve();
      } else if (message.kind === "refused") {
        reject(decodeError(message.problem, "internal"));
      } else this.#handle(message);
    });
    worker.port.on("error", handleEnd);
    worker.port.on("exit", () => handleEnd(new Error("its thread ended")));
    await promise;
  }

  #handle(message: Exclude<RecorderMessage, { kind: "ready" | "refused" }>): void {
    switch (message.kind) {
      case "settled":
        this.#settle(message);
        return;
      case "state":
        // By then everything deferred is written, including gaps.
        this.#isWriting = message.state.state === "ok";
        if (this.#isWriting) this.#owedGaps.clear();
        this.#reportState(message.state);
        return;
      case "space":
        this.#listener.handleSpace?.(message.space);
        return;
      case "closed":
        this.#finish();
    }
  }

  /** Gaps first: whoever waits for an entry after one goes on only afterwards. */
  #settle({ done, failed, gaps }: WriteResults): void {
    for (const row of gaps) {
      this.#inFlight.noteGap(row);
      this.#listener.handleGap(row);
    }
    for (const one of done) this.#inFlight.confirm(one);
    for (const { ticket, problem } of failed) {
      const waiting = this.#inFlight.take(ticket);
      for (const id of terminalsWithOutput(waiting ? [waiting] : [])) this.#owedGaps.add(id);
      waiting?.reject(decodeError(problem, "internal"));
    }
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    queueMicrotask(() => {
      this.#isScheduled = false;
      this.#send();
    });
  }

  /** Without a recorder, writes wait for the next one. */
  #send(): void {
    clearTimeout(this.#echoTimer);
    this.#echoTimer = undefined;
    if (this.#outbox.length === 0 || this.#closed || !this.#worker) return;
    const batch = this.#outbox;
    this.#outbox = [];
    this.#buffers = new Set();
    try {
      this.#post({ kind: "writes", writes: this.#inFlight.add(batch) });
    } catch (error) {
      const cause = error instanceof Error ? error : new Error(String(error));
      for (const { write } of batch) this.#inFlight.take(write.ticket)?.reject(cause);
    }
  }

  #post(request: RecorderRequest): void {
    const writes = request.kind === "writes" ? request.writes : [];
    this.#worker?.port.postMessage(request, buffersOf(writes.map(payloadOf)));
  }

  /** After a crash it is unknown which of its writes were committed. */
  #handleEnd(cause: Error): void {
    this.#worker = undefined;
    const { again, lost } = this.#inFlight.takeAll(this.#isWriting);
    const message = `the recorder ended: ${cause.message}`;
    for (const one of lost) one.reject(new NacreError("unavailable", message, { cause }));
    // What it had precedes the outbox, with gaps for the lost part; nothing follows the end of a recording.
    const later = this.#outbox;
    this.#outbox = [];
    const missing = new Set(terminalsWithOutput(lost));
    for (const waiting of again.filter(({ write }) => !endsRecording(write))) {
      // Output that is sent again is newer than the lost one.
      for (const id of terminalsWithOutput([waiting]))
        if (missing.delete(id)) void this.#recordGap(id);
      this.#outbox.push(waiting);
    }
    // The recorder's own unreported losses count, too.
    for (const id of new Set([...missing, ...this.#owedGaps])) void this.#recordGap(id);
    this.#owedGaps.clear();
    this.#outbox.push(...again.filter(({ write }) => endsRecording(write)), ...later);
    if (this.#closed) {
      this.#finish();
      return;
    }
    void this.#restart(message);
  }

  async #restart(firstReason: string): Promise<void> {
    const since = Date.now();
    let reason = "";
    const tell = (message: string): void => {
      if (message === reason) return;
      reason = message;
      this.#reportState({ state: "degraded", reason: "storeFailed", message, since });
    };
    tell(firstReason);
    while (!this.#worker) {
      await new Promise((resolve) => setTimeout(resolve, RESTART_MS));
      if (this.#closed) return;
      // Retried until it works; the state says why it does not.
      await this.#connect().catch((error: Error) => tell(`no recorder starts: ${error.message}`));
    }
    if (this.#closed) {
      this.#post({ kind: "close" });
      return;
    }
    this.#send();
    this.#reportState({ state: "ok" });
  }

  #reportState(state: RecorderState): void {
    this.#listener.handleState(state);
    if (state.state !== "ok") return;
    this.#recovered.resolve();
    this.#recovered = Promise.withResolvers<void>();
  }

  /** The number of missing bytes is unknown: some may have been committed. */
  async #recordGap(terminalId: TerminalId): Promise<void> {
    const columns = encodeFact({ type: "gap", lostBytes: null, reason: "storeFailed" });
    const place = { terminalId, at: Date.now(), elapsedMs: 0 };
    try {
      const request = { kind: "entry", ...columns, ...place, strict: true } as const;
      const { count: sequence, elapsedMs } = await this.write(request);
      const hash = new Uint8Array();
      this.#listener.handleGap({ ...columns, ...place, sequence, elapsedMs, hash });
    } catch {
      // The terminal was removed or everything closed: no gap is needed.
    }
  }

  #finish(): void {
    const { again, lost } = this.#inFlight.takeAll(false);
    const waiting = [...again, ...lost, ...this.#outbox];
    this.#outbox = [];
    for (const one of waiting) one.reject(closedError());
    this.#closed?.resolve();
  }

  /** A transfer takes the whole buffer, so bytes that share it are copied first. */
  #withOwnBytes(request: WriteRequest): WriteRequest {
    if (request.kind !== "entry" || !request.data) return request;
    const { data } = request;
    if (data.buffer.detached) {
      throw new NacreError("invalid_argument", "data: the bytes were handed over already", {
        field: "data",
      });
    }
    const isOwn =
      data.byteOffset === 0 &&
      !isMarkedAsUntransferable(data.buffer) &&
      !this.#buffers.has(data.buffer);
    if (!isOwn) return { ...request, data: data.slice() };
    this.#buffers.add(data.buffer);
    return request;
  }
}

function payloadOf(write: Write): Uint8Array<ArrayBuffer> | null {
  if (write.kind === "snapshot") return write.row.state;
  return write.kind === "entry" ? write.data : null;
}

const closedError = (): NacreError => new NacreError("unavailable", "the recordings are closed");

const isInput = (write: WriteRequest): boolean => write.kind === "entry" && write.type === "input";
