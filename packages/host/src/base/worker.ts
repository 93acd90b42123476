import {
  MessageChannel,
  type MessagePort,
  type Transferable,
  Worker,
  type WorkerOptions,
} from "node:worker_threads";

/** The sources run as they are; in a build, the same files end differently. */
const EXTENSION = import.meta.url.endsWith(".ts") ? ".ts" : ".js";

/** `--max-semi-space-size` of a worker: bytes only pass through it, and a larger nursery is memory that nobody uses. */
const MAX_YOUNG_HEAP_MB = 12;

/** The file of a worker, by its path in the sources of the host without an extension. */
export const workerFile = (path: string): URL => new URL(`../${path}${EXTENSION}`, import.meta.url);

/** Starts a thread; workers that run from the sources import packages by their sources, too. */
export function startThread(file: URL, options: WorkerOptions = {}): Worker {
  const execArgv = EXTENSION === ".ts" ? ["--conditions=nacre-source"] : [];
  const resourceLimits = { maxYoungGenerationSizeMb: MAX_YOUNG_HEAP_MB, ...options.resourceLimits };
  return new Worker(file, { ...options, execArgv, resourceLimits });
}

/** What runs behind a port: a thread of its own, or something in this one. */
export interface WorkerHandle {
  readonly port: MessagePort | Worker;
  /** Ends it at once, whatever it does. */
  terminate(): Promise<void>;
}

/** Starts a worker of the host by its path, with what it finds in `workerData`. */
export function startWorker(path: string, workerData: unknown): WorkerHandle {
  const worker = startThread(workerFile(path), { workerData });
  return { port: worker, terminate: async () => void (await worker.terminate()) };
}

/** Runs a worker in this thread, behind the same kind of port. */
export function startInline(serve: (port: MessagePort) => void): WorkerHandle {
  const { port1, port2 } = new MessageChannel();
  serve(port2);
  return {
    port: port1,
    terminate: () => {
      port1.close();
      return Promise.resolve();
    },
  };
}

/** The buffers behind bytes, to be transferred instead of copied. */
export const buffersOf = (
  all: readonly (Uint8Array<ArrayBuffer> | null | undefined)[],
): Transferable[] => all.flatMap((bytes) => (bytes ? [bytes.buffer] : []));
