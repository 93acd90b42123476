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

/** A thread that cannot even begin is tried again after this long, not at once and for ever. */
const RETRY_MS = 1_000;

/** What is told about one drawing. */
export type ReplicaReport = Exclude<ScreenReport, { kind: "ready" | "drawn" }>;

/** Whoever has a drawing in a lane. */
export interface ScreenWorkerClient {
  handleDrawn(sequence: number): void;
  handleReport(report: ReplicaReport): void;
  /** The thread with the screen replica was closed or its worker ended; `doing` says what of this drawing was the reason. */
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

/** Where work cannot be measured, a thread gets this many times as long by the clock: others may keep it waiting. */
const CLOCK_FACTOR = 10;

/** The kernel's letters for a thread that could run, and for one that waits for the disk. */
const RUNNABLE_STATES: ReadonlySet<string> = new Set(["R", "D"]);

/** How long a thread has worked. */
interface ThreadClock {
  /** Milliseconds of work, or of time where work cannot be measured. */
  now(): number;
  /** How much of them stands for a millisecond of work. */
  readonly factor: number;
  /** Whether it only waits for a processor or the disk, and would go on if it got them; false where nobody tells. */
  isWaitingForCpuOrDisk(): boolean;
}

/** The clock of a thread of this process by the kernel's number of it. */
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

/** Time on a processor; the first number of the file, in nanoseconds. */
function readCpuMs(file: string): number | undefined {
  try {
    return Number.parseInt(readFileSync(file, "latin1"), 10) / 1e6;
  } catch {
    // The thread is gone, or this kernel does not tell.
    return undefined;
  }
}

/** The letter behind the name, which is in parentheses and may contain anything. */
function readThreadState(file: string): string {
  try {
    const text = readFileSync(file, "latin1");
    return text.charAt(text.lastIndexOf(")") + 2);
  } catch {
    return ""; // The thread is gone.
  }
}

/** How often a thread with something to do is looked at. */
const WATCH_MS = 25;

/** A thread that owes something and does not go on for so many looks (10 s) is ended, whatever it waits for. Looks are counted, not time: a process that was stopped has to go on first. */
const MAX_SILENT_CHECKS = 400;

/** One that has not begun to work gets longer (60 s): a busy machine takes seconds to start a thread. */
const MAX_STARTING_CHECKS = 2400;

/** Of the objects of a thread; an emulator that needs more has met a fault, and only its thread ends. */
const MAX_HEAP_MB = 1024;

/** Keeps the heap from growing to many times what is in use while output floods. */
const MAX_YOUNG_HEAP_MB = 16;

/** What runs in a screen thread. */
export const SCREEN_WORKER = workerFile("screen/screen.worker");

export interface WatchedWorkerOptions {
  readonly file: URL;
  handleReport(report: ScreenReport): void;
  /** The thread is over, with what it was doing if that was the reason. */
  handleEnd(reason: string, doing: CurrentTask | undefined): void;
}

/** A thread that draws screens, and that is ended when one of its steps takes too long. It has messages of its own instead of `base/port-rpc.ts`: output is transferred, and many drawings are answered by one message. */
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

  /** Whether it has begun to work. */
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

  /** Ends it at once, whatever it does; nobody hears of that. */
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
    // It may still run: nothing of it counts any more.
    void this.#worker.terminate();
    this.#options.handleEnd(reason, doing);
  }

  /** Ends the thread when the same step goes on for longer than it may. */
  #checkProgress(): void {
    const { beats, currentTask, done } = this.#heartbeat;
    const clock = this.#clock;
    if (done === this.#posted) return this.#stopWatching();
    if (this.#isSilent(beats + done)) {
      // What it draws is not to blame where a busy machine does not let it work.
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

  /** Whether it gave no sign of going on for too long: it may hang where no step is, or without working. */
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
