import type { ControlLimits } from "./control-limits.ts";

/** Ids of requests that are remembered although somebody removed their answers. */
const MAX_OVER = 4096;

/** Which requests were taken: those that are not over are never forgotten, of the others the newest. */
export class RequestIds {
  readonly #pending = new Set<string>();
  readonly #over = new Set<string>();

  /** Whether a request of this id was taken and is not over. */
  isPending(id: string): boolean {
    return this.#pending.has(id);
  }

  /** Whether a request of this id is over. */
  isOver(id: string): boolean {
    return this.#over.has(id);
  }

  /** A request was taken. */
  take(id: string): void {
    this.#pending.add(id);
  }

  /** A request is over; it is not done again. */
  end(id: string): void {
    this.#pending.delete(id);
    this.#over.add(id);
    const [oldest] = this.#over;
    if (oldest !== undefined && this.#over.size > MAX_OVER) this.#over.delete(oldest);
  }

  /** A request was neither done nor answered: whoever writes it again asks anew. */
  forget(id: string): void {
    this.#pending.delete(id);
  }
}

const SECOND_MS = 1000;

/** What is to be done: it begins after everything before it began, and then runs beside it. */
export interface Task {
  /** What must be done before the next one begins. */
  begin(): Promise<void>;
  run(): Promise<void>;
}

export interface RequestQueueOptions {
  readonly limits: Pick<ControlLimits, "requestsPerSecond" | "maxRunning" | "maxWaiting">;
  readonly handleProblem: (error: unknown) => void;
  /** There is room again after there was none. */
  readonly handleRoom: () => void;
}

/** Requests that were taken: begun in their order, so many per second, so many at once; none is dropped. */
export class RequestQueue implements AsyncDisposable {
  readonly #options: RequestQueueOptions;
  readonly #waiting: Task[] = [];
  readonly #running = new Set<Promise<void>>();
  /** When the newest ones began. */
  readonly #startsMs: number[] = [];
  #isPumping = false;
  #isClosed = false;
  #wake: (() => void) | undefined;

  constructor(options: RequestQueueOptions) {
    this.#options = options;
  }

  /** How many more requests may be taken. */
  get room(): number {
    return this.#isClosed ? 0 : this.#options.limits.maxWaiting - this.#waiting.length;
  }

  add(task: Task): void {
    this.#waiting.push(task);
    if (!this.#isPumping) void this.#pump();
  }

  /** Nothing begins any more; resolves when what runs has ended. */
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

  /** The next one, once it may begin. */
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

  /** Resolves when something ended, everything is over, or so much time passed. */
  async #woken(ms?: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = ms === undefined ? undefined : setTimeout(resolve, Math.max(1, Math.ceil(ms)));
    this.#wake = resolve;
    await promise;
    this.#wake = undefined;
    clearTimeout(timer);
  }
}
