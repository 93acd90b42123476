import { type Part, startInline } from "./thread.ts";
import { Caller, type Calls } from "./thread-call.ts";

/** A part that ends right after its start is not started again before this. */
const RESTART_MS = 1000;

/** A part that is started when it is needed, and again when it ended; once closed, never. */
export class Service<Table extends Calls> implements AsyncDisposable {
  readonly #start: () => Part;
  readonly #handleProblem: ((error: Error) => void) | undefined;
  #caller: Caller<Table> | undefined;
  #startedAt = Number.NEGATIVE_INFINITY;
  #isClosed = false;

  /** `handleProblem` is told of every failure that the part answers with, or reports by itself. */
  constructor(start: () => Part, handleProblem?: (error: Error) => void) {
    this.#start = start;
    this.#handleProblem = handleProblem;
  }

  /** Whether it was told to close. */
  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** The running part; one that ended a moment ago, or was closed, answers with the reason. */
  get current(): Caller<Table> {
    const isGone = !this.#caller || this.#caller.isOver;
    const isDue = performance.now() - this.#startedAt > RESTART_MS;
    if (!this.#caller || (isGone && isDue && !this.#isClosed)) {
      this.#startedAt = performance.now();
      this.#caller = new Caller<Table>(this.#start(), this.#handleProblem);
    }
    return this.#caller;
  }

  /** Starts the part before anybody needs it. */
  start(): void {
    void this.current;
  }

  /** Ends the part at once; the next who needs it starts it anew. */
  async restart(): Promise<void> {
    this.#startedAt = Number.NEGATIVE_INFINITY;
    await this.#caller?.terminate();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    // Where nobody needed it, whoever asks from now on still needs an answer.
    this.#caller ??= new Caller<Table>(startInline(() => undefined));
    await this.#caller.terminate();
  }
}
