import { type WorkerHandle, startInline } from "./thread.ts";
import { PortClient, type RpcMethods } from "./thread-call.ts";

/** A part that ends right after its start is not started again before this. */
const RESTART_MS = 1000;

/** A part that is started when it is needed, and again when it ended; once closed, never. */
export class RestartingWorker<Table extends RpcMethods> implements AsyncDisposable {
  readonly #start: () => WorkerHandle;
  readonly #handleProblem: ((error: Error) => void) | undefined;
  #client: PortClient<Table> | undefined;
  #startedAt = Number.NEGATIVE_INFINITY;
  #isClosed = false;

  /** `handleProblem` is told of every failure that the part answers with, or reports by itself. */
  constructor(start: () => WorkerHandle, handleProblem?: (error: Error) => void) {
    this.#start = start;
    this.#handleProblem = handleProblem;
  }

  /** Whether it was told to close. */
  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** The running part; one that ended a moment ago, or was closed, answers with the reason. */
  get current(): PortClient<Table> {
    const isGone = !this.#client || this.#client.isClosed;
    const isDue = performance.now() - this.#startedAt > RESTART_MS;
    if (!this.#client || (isGone && isDue && !this.#isClosed)) {
      this.#startedAt = performance.now();
      this.#client = new PortClient<Table>(this.#start(), this.#handleProblem);
    }
    return this.#client;
  }

  /** Starts the part before anybody needs it. */
  start(): void {
    void this.current;
  }

  /** Ends the part at once; the next who needs it starts it anew. */
  async restart(): Promise<void> {
    this.#startedAt = Number.NEGATIVE_INFINITY;
    await this.#client?.terminate();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    // Where nobody needed it, whoever asks from now on still needs an answer.
    this.#client ??= new PortClient<Table>(startInline(() => undefined));
    await this.#client.terminate();
  }
}
