import { type Transferable, Worker } from "node:worker_threads";
import { type CurrentTask, WorkerHeartbeat } from "./pulse.ts";
import type { ScreenOrder, ScreenReport, ScreenWorkerData } from "./screen-wire.ts";
import { type ThreadClock, createThreadClock } from "./thread-clock.ts";

/** The sources run as they are; in a build, the same files end differently. */
const EXTENSION = import.meta.url.endsWith(".ts") ? ".ts" : ".js";

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
export const SCREEN_WORKER = new URL(`./screen.worker${EXTENSION}`, import.meta.url);

/** Who hears of a screen thread. */
export interface WatchedWorkerOptions {
  readonly file: URL;
  handleReport(report: ScreenReport): void;
  /** The thread is over, with what it was doing if that was the reason. */
  handleEnd(reason: string, doing: CurrentTask | undefined): void;
}

/** A thread that draws screens, and that is ended when one of its steps takes too long. */
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
    const data: ScreenWorkerData = { heartbeat: this.#heartbeat.memory };
    this.#worker = new Worker(options.file, {
      workerData: data,
      execArgv: EXTENSION === ".ts" ? ["--conditions=nacre-source"] : [],
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
    const { beats, currentTask: doing, done } = this.#heartbeat;
    const clock = this.#clock;
    if (done === this.#posted) return this.#stopWatching();
    if (this.#isSilent(beats + done)) {
      // What it draws is not to blame where a busy machine does not let it work.
      return this.#end("it does not go on", clock?.isWaitingForCpuOrDisk() ? undefined : doing);
    }
    if (!doing || !clock) return;
    if (beats !== this.#seen.beats) this.#seen = { beats, since: clock.now() };
    else if (clock.now() - this.#seen.since > doing.limitMs * clock.factor) {
      this.#end("a step takes too long", doing);
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
