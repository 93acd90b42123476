// RPC over a MessagePort: methods on one side, promises on the other.
import type { MessagePort, Transferable, Worker } from "node:worker_threads";
import { decodeError, encodeError, type ErrorJson, NacreError } from "@nacre/contracts/plain";
import { startInline, type WorkerHandle } from "./worker.ts";

/** Delay before a worker that ended right after its start is started again. */
const RESTART_MS = 1000;

/** A worker started on demand and after it ended; never once closed. */
export class RestartingWorker<Table extends RpcMethods> implements AsyncDisposable {
  readonly #start: () => WorkerHandle;
  readonly #handleProblem: ((error: Error) => void) | undefined;
  #client: PortClient<Table> | undefined;
  #startedAt = Number.NEGATIVE_INFINITY;
  #isClosed = false;

  /** `handleProblem`: every failure that the worker answers with or reports by itself. */
  constructor(start: () => WorkerHandle, handleProblem?: (error: Error) => void) {
    this.#start = start;
    this.#handleProblem = handleProblem;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** One that ended a moment ago, or was closed, rejects with the reason. */
  get current(): PortClient<Table> {
    const isGone = !this.#client || this.#client.isClosed;
    const isDue = performance.now() - this.#startedAt > RESTART_MS;
    if (!this.#client || (isGone && isDue && !this.#isClosed)) {
      this.#startedAt = performance.now();
      this.#client = new PortClient<Table>(this.#start(), this.#handleProblem);
    }
    return this.#client;
  }

  /** Before anybody needs it. */
  start(): void {
    void this.current;
  }

  /** Terminates it; the next use starts it anew. */
  async restart(): Promise<void> {
    this.#startedAt = Number.NEGATIVE_INFINITY;
    await this.#client?.terminate();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    // A closed worker that was never started still has to reject calls.
    this.#client ??= new PortClient<Table>(startInline(() => undefined));
    await this.#client.terminate();
  }
}

/** Synchronous or asynchronous methods. */
// oxlint-disable-next-line typescript/no-explicit-any -- only so can functions of all parameters be in one table
export type RpcMethods = Readonly<Record<string, (...values: any[]) => unknown>>;

interface RpcRequest {
  readonly id: number;
  readonly name: string;
  readonly values: readonly unknown[];
}

/** A NacreError as JSON, or the message of anything else. */
type RpcError = ErrorJson | string;

type RpcResponse =
  | { readonly id: number; readonly value: unknown }
  | { readonly id: number; readonly problem: RpcError };

/** The id of an unsolicited failure. */
const UNASKED = 0;

export function reportProblem(port: MessagePort, error: unknown): void {
  port.postMessage({ id: UNASKED, problem: encodeThrown(error) } satisfies RpcResponse);
}

/** `transferOf` names what an answer transfers instead of copying. */
export function serveRpc(
  port: MessagePort,
  calls: RpcMethods,
  transferOf: (value: unknown) => Transferable[] = () => [],
): void {
  const answer = async ({ id, name, values }: RpcRequest): Promise<void> => {
    try {
      const value = await calls[name]?.(...values);
      port.postMessage({ id, value } satisfies RpcResponse, transferOf(value));
    } catch (error) {
      port.postMessage({ id, problem: encodeThrown(error) } satisfies RpcResponse);
    }
  };
  port.on("message", (question: RpcRequest) => void answer(question));
}

function encodeThrown(error: unknown): RpcError {
  if (error instanceof NacreError) return encodeError(error);
  return error instanceof Error ? error.message : String(error);
}

const decodeThrown = (problem: RpcError): Error =>
  typeof problem === "string" ? new Error(problem) : decodeError(problem, "internal");

interface PendingCall {
  resolve(value: unknown): void;
  reject(error: Error): void;
}

/** Every call settles, at the latest with an error when the worker ends. */
export class PortClient<Table extends RpcMethods> {
  readonly #port: MessagePort | Worker;
  readonly #worker: WorkerHandle;
  readonly #pending = new Map<number, PendingCall>();
  readonly #handleProblem: ((error: Error) => void) | undefined;
  #lastId = 0;
  #isClosed = false;

  /** `handleProblem`: every failure that the worker answers with or reports by itself. */
  constructor(worker: WorkerHandle, handleProblem?: (error: Error) => void) {
    this.#worker = worker;
    this.#handleProblem = handleProblem;
    this.#port = worker.port;
    this.#port.on("message", (answer: RpcResponse) => this.#settle(answer));
    this.#port.on("error", (error: Error) => this.#end(error));
    this.#port.on("exit", () => this.#end(new Error("its thread ended")));
    this.#port.unref();
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  call<Name extends keyof Table & string>(
    name: Name,
    ...values: Parameters<Table[Name]>
  ): Promise<Awaited<ReturnType<Table[Name]>>> {
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    if (this.#isClosed) reject(this.#gone(new Error("it was closed")));
    else {
      const id = ++this.#lastId;
      this.#port.postMessage({ id, name, values } satisfies RpcRequest);
      this.#pending.set(id, { resolve, reject });
      this.#port.ref();
    }
    // The other side returns what its method of this name returns.
    return promise as Promise<Awaited<ReturnType<Table[Name]>>>;
  }

  /** Pending calls reject. */
  async terminate(): Promise<void> {
    this.#end(new Error("it was closed"));
    await this.#worker.terminate();
  }

  #settle(answer: RpcResponse): void {
    const error = "problem" in answer ? decodeThrown(answer.problem) : undefined;
    if (error) this.#handleProblem?.(error);
    const waiting = this.#pending.get(answer.id);
    if (!waiting) return;
    this.#pending.delete(answer.id);
    if (this.#pending.size === 0) this.#port.unref();
    if (error) waiting.reject(error);
    else if ("value" in answer) waiting.resolve(answer.value);
  }

  #end(cause: Error): void {
    this.#isClosed = true;
    const waiting = [...this.#pending.values()];
    this.#pending.clear();
    for (const one of waiting) one.reject(this.#gone(cause));
  }

  #gone(cause: Error): NacreError {
    const message = `a worker of the host is gone: ${cause.message}`;
    return new NacreError("unavailable", message, { cause });
  }
}
