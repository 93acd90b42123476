import {
  MessageChannel,
  type MessagePort,
  type Transferable,
  Worker,
  type WorkerOptions,
} from "node:worker_threads";

/** From sources `.ts`, from a build `.js`. */
const EXTENSION = import.meta.url.endsWith(".ts") ? ".ts" : ".js";

/** `--max-semi-space-size` of a worker: bytes only pass through it, and a larger young generation is unused memory. */
const MAX_YOUNG_HEAP_MB = 12;

/** `path` relative to the host's sources, without extension. */
export const workerFile = (path: string): URL => new URL(`../${path}${EXTENSION}`, import.meta.url);

/** From sources, packages are imported as sources, too. */
export function startThread(file: URL, options: WorkerOptions = {}): Worker {
  const execArgv = EXTENSION === ".ts" ? ["--conditions=nacre-source"] : [];
  const resourceLimits = { maxYoungGenerationSizeMb: MAX_YOUNG_HEAP_MB, ...options.resourceLimits };
  return new Worker(file, { ...options, execArgv, resourceLimits });
}

/** Behind a port: a thread, or something in this one. */
export interface WorkerHandle {
  readonly port: MessagePort | Worker;
  terminate(): Promise<void>;
}

/** By path, with `workerData`. */
export function startWorker(path: string, workerData: unknown): WorkerHandle {
  const worker = startThread(workerFile(path), { workerData });
  return { port: worker, terminate: async () => void (await worker.terminate()) };
}

/** In this thread, behind the same kind of port. */
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

/** To be transferred instead of copied. */
export const buffersOf = (
  all: readonly (Uint8Array<ArrayBuffer> | null | undefined)[],
): Transferable[] => all.flatMap((bytes) => (bytes ? [bytes.buffer] : []));
