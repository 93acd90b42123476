import type { ControlLimits } from "./control-limits.ts";

/** Remembered although their answers were removed. */
const MAX_OVER = 4096;

/** Pending ids are never forgotten; of the others the newest are kept. */
export class RequestIds {
  readonly #pending = new Set<string>();
  readonly #over = new Set<string>();

  isPending(id: string): boolean {
    return this.#pending.has(id);
  }

  isOver(id: string): boolean {
    return this.#over.has(id);
  }

  take(id: string): void {
    this.#pending.add(id);
  }

  end(id: string): void {
    this.#pending.delete(id);
    this.#over.add(id);
    const [oldest] = this.#over;
    if (oldest !== undefined && this.#over.size > MAX_OVER) this.#over.delete(oldest);
  }

  /** Neither done nor answered: writing it again is a new request. */
  forget(id: string): void {
    this.#pending.delete(id);
  }
}

const SECOND_MS = 1000;

/** Starts after everything before it started, then runs concurrently. */
export interface Task {
  /** Before the next one starts. */
  begin(): Promise<void>;
  run(): Promise<void>;
}

export interface RequestQueueOptions {
  readonly limits: Pick<ControlLimits, "requestsPerSecond" | "maxRunning" | "maxWaiting">;
  readonly handleProblem: (error: unknown) => void;
  readonly handleRoom: () => void;
}

/** Starts in order, rate-limited, with bounded concurrency; drops none. */
export class RequestQueue implements AsyncDisposable {
  readonly #options: RequestQueueOptions;
  readonly #waiting: Task[] = [];
  readonly #running = new Set<Promise<void>>();
  /** Times of the newest starts. */
  readonly #startsMs: number[] = [];
  #isPumping = false;
  #isClosed = false;
  #wake: (() => void) | undefined;

  constructor(options: RequestQueueOptions) {
    this.#options = options;
  }

  get room(): number {
    return this.#isClosed ? 0 : this.#options.limits.maxWaiting - this.#waiting.length;
  }

  add(task: Task): void {
    this.#waiting.push(task);
    if (!this.#isPumping) void this.#pump();
  }

  /** Nothing starts any more; resolves when what runs has ended. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    this.#wake?.();
    await Promise.all(this.#running);
  }

  async #pump(): Promise<void> {
    this.#isPumping = true;
    for (let task = await this.#next(); task; task = await this.#next()) {
      const running = this.#run(task).finally(() => {
        this.#running.delete(running);
        this.#wake?.();
      });
      this.#running.add(running);
      await this.#begun;
    }
    this.#isPumping = false;
  }

  #begun: Promise<void> = Promise.resolve();

  async #run(task: Task): Promise<void> {
    const { handleProblem } = this.#options;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#begun = promise;
    try {
      await task.begin();
      const run = task.run();
      resolve();
      await run;
    } catch (error) {
      handleProblem(error);
    } finally {
      resolve();
    }
  }

  async #next(): Promise<Task | undefined> {
    const { requestsPerSecond, maxRunning } = this.#options.limits;
    for (;;) {
      if (this.#isClosed || this.#waiting.length === 0) return undefined;
      const now = performance.now();
      while (this.#startsMs[0] !== undefined && now - this.#startsMs[0] >= SECOND_MS) {
        this.#startsMs.shift();
      }
      const oldest = this.#startsMs.at(-requestsPerSecond);
      if (this.#running.size >= maxRunning) await this.#woken();
      else if (oldest !== undefined) await this.#woken(oldest + SECOND_MS - now);
      else break;
    }
    const wasFull = this.room <= 0;
    const task = this.#waiting.shift();
    this.#startsMs.push(performance.now());
    if (wasFull && this.room > 0) this.#options.handleRoom();
    return task;
  }

  /** Something ended, the queue closed, or the time passed. */
  async #woken(ms?: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = ms === undefined ? undefined : setTimeout(resolve, Math.max(1, Math.ceil(ms)));
    this.#wake = resolve;
    await promise;
    this.#wake = undefined;
    clearTimeout(timer);
  }
}
