import { readFileSync } from "node:fs";
import type { Transferable, Worker } from "node:worker_threads";
import { startThread, workerFile } from "../base/worker.ts";
import {
  type CurrentTask,
  type ScreenOrder,
  type ScreenReport,
  type ScreenWorkerData,
  WorkerHeartbeat,
} from "./screen-protocol.ts";

/** Delay before a worker that cannot start is tried again. */
const RETRY_MS = 1_000;

export type ReplicaReport = Exclude<ScreenReport, { kind: "ready" | "drawn" }>;

export interface ScreenWorkerClient {
  handleDrawn(sequence: number): void;
  handleReport(report: ReplicaReport): void;
  /** The worker ended; `doing` is the step of this replica that caused it. */
  handleLost(doing: CurrentTask | undefined): void;
}

/** A worker for replicas, restarted when it ends; started on demand. */
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

  get size(): number {
    return this.#clients.size;
  }

  /** Assigns an id; `post` has to open the replica. */
  attach(client: ScreenWorkerClient): number {
    const id = ++this.#lastId;
    this.#clients.set(id, client);
    return id;
  }

  /** No further reports about it. */
  detach(id: number): void {
    if (this.#clients.delete(id)) this.#thread?.post({ kind: "close", id });
  }

  /** Ignored for a lost replica. */
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

  /** The next order starts another. */
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

  /** Where the system has no thread to give, this counts as one that ended at once. */
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

/** Where CPU time cannot be measured, a worker gets this many times as long by the clock. */
const CLOCK_FACTOR = 10;

/** R: runnable; D: uninterruptible sleep. */
const RUNNABLE_STATES: ReadonlySet<string> = new Set(["R", "D"]);

interface ThreadClock {
  /** CPU time, or wall time where that cannot be measured. */
  now(): number;
  /** Wall milliseconds per millisecond of work. */
  readonly factor: number;
  /** Only waits for a CPU or the disk; false where unknown. */
  isWaitingForCpuOrDisk(): boolean;
}

/** By the kernel's thread id. */
export function createThreadClock(threadId: number | undefined): ThreadClock {
  const file = `/proc/self/task/${threadId}/schedstat`;
  if (threadId === undefined || readCpuMs(file) === undefined) {
    return {
      now: () => performance.now(),
      factor: CLOCK_FACTOR,
      isWaitingForCpuOrDisk: () => false,
    };
  }
  const isHeldUp = (): boolean =>
    RUNNABLE_STATES.has(readThreadState(`/proc/self/task/${threadId}/stat`));
  return { now: () => readCpuMs(file) ?? 0, factor: 1, isWaitingForCpuOrDisk: isHeldUp };
}

/** From schedstat: the first number, in nanoseconds. */
function readCpuMs(file: string): number | undefined {
  try {
    return Number.parseInt(readFileSync(file, "latin1"), 10) / 1e6;
  } catch {
    // The thread is gone, or this kernel has no schedstat.
    return undefined;
  }
}

/** The letter after the name in parentheses, which may contain anything. */
function readThreadState(file: string): string {
  try {
    const text = readFileSync(file, "latin1");
    return text.charAt(text.lastIndexOf(")") + 2);
  } catch {
    return ""; // The thread is gone.
  }
}

/** Interval of checks on a busy worker. */
const WATCH_MS = 25;

/**
 * A worker with pending orders that shows no progress for so many checks (10 s) is terminated, whatever it waits for.
 * Checks are counted, not time: a stopped process must resume first.
 */
const MAX_SILENT_CHECKS = 400;

/** A starting worker gets longer (60 s): a busy machine takes seconds to start a thread. */
const MAX_STARTING_CHECKS = 2400;

/** `maxOldGenerationSizeMb`; an emulator that needs more has met a fault, and only its worker ends. */
const MAX_HEAP_MB = 1024;

/** `maxYoungGenerationSizeMb`: keeps the heap small while output floods. */
const MAX_YOUNG_HEAP_MB = 16;

export const SCREEN_WORKER = workerFile("screen/screen.worker");

export interface WatchedWorkerOptions {
  readonly file: URL;
  handleReport(report: ScreenReport): void;
  /** `doing`: the step that caused it, if one did. */
  handleEnd(reason: string, doing: CurrentTask | undefined): void;
}

/**
 * A screen worker that is terminated when one of its steps takes too long. It has its own messages instead of
 * `base/port-rpc.ts`: output is transferred, and one message answers for many replicas.
 */
export class WatchedWorker {
  readonly #options: WatchedWorkerOptions;
  readonly #worker: Worker;
  readonly #heartbeat = new WorkerHeartbeat();
  #clock: ThreadClock | undefined;
  #watch: NodeJS.Timeout | undefined;
  #posted = 0;
  #seen = { beats: 0, since: 0 };
  #silent = { signs: -1, looks: 0 };
  #isOver = false;

  constructor(options: WatchedWorkerOptions) {
    this.#options = options;
    const workerData: ScreenWorkerData = { heartbeat: this.#heartbeat.memory };
    this.#worker = startThread(options.file, {
      workerData,
      resourceLimits: {
        maxOldGenerationSizeMb: MAX_HEAP_MB,
        maxYoungGenerationSizeMb: MAX_YOUNG_HEAP_MB,
      },
    });
    this.#worker.unref();
    this.#worker.on("message", (report: ScreenReport) => this.#handleReport(report));
    this.#worker.on("error", ({ message }) => this.#end(message, this.#heartbeat.currentTask));
    this.#worker.on("exit", () => this.#end("its thread ended", this.#heartbeat.currentTask));
  }

  get isReady(): boolean {
    return this.#clock !== undefined;
  }

  post(order: ScreenOrder, transfer: readonly Transferable[] = []): void {
    if (this.#isOver) return;
    this.#posted = (this.#posted + 1) | 0;
    this.#worker.postMessage(order, transfer);
    this.#watch ??= setInterval(() => this.#checkProgress(), WATCH_MS).unref();
  }

  /** Keeps the process alive until `unref`. */
  ref(): void {
    this.#worker.ref();
  }

  unref(): void {
    this.#worker.unref();
  }

  /** At once, without `handleEnd`. */
  async terminate(): Promise<void> {
    this.#isOver = true;
    this.#stopWatching();
    await this.#worker.terminate();
  }

  #handleReport(report: ScreenReport): void {
    if (this.#isOver) return;
    if (report.kind === "ready") this.#clock = createThreadClock(report.threadId);
    else this.#options.handleReport(report);
  }

  #end(reason: string, doing: CurrentTask | undefined): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#stopWatching();
    // It may still run: its messages are ignored.
    void this.#worker.terminate();
    this.#options.handleEnd(reason, doing);
  }

  #checkProgress(): void {
    const { beats, currentTask, done } = this.#heartbeat;
    const clock = this.#clock;
    if (done === this.#posted) return this.#stopWatching();
    if (this.#isSilent(beats + done)) {
      // On a busy machine the worker did not get to run; its output is not to blame.
      return this.#end(
        "it does not go on",
        clock?.isWaitingForCpuOrDisk() ? undefined : currentTask,
      );
    }
    if (!currentTask || !clock) return;
    if (beats !== this.#seen.beats) this.#seen = { beats, since: clock.now() };
    else if (clock.now() - this.#seen.since > currentTask.limitMs * clock.factor) {
      this.#end("a step takes too long", currentTask);
    }
  }

  /** No sign of progress for too long: it may hang outside any step. */
  #isSilent(signs: number): boolean {
    if (signs !== this.#silent.signs) this.#silent = { signs, looks: 0 };
    return ++this.#silent.looks > (this.#clock ? MAX_SILENT_CHECKS : MAX_STARTING_CHECKS);
  }

  #stopWatching(): void {
    clearInterval(this.#watch);
    this.#watch = undefined;
    this.#silent.looks = 0;
  }
}
