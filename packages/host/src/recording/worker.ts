// How the workers of a recording talk to each other: over a port, whether they have a thread of their own or share one.
import { MessageChannel, type MessagePort, type Transferable, Worker } from "node:worker_threads";

/** The sources run as they are; in a build, the same files end differently. */
const EXTENSION = import.meta.url.endsWith(".ts") ? ".ts" : ".js";

/** What a thread lets pile up before it looks for garbage: bytes pass through and are let go, so more of it is only memory. */
const MAX_YOUNG_HEAP_MB = 12;

/** What runs behind a port. */
export interface WorkerHandle {
  readonly port: MessagePort | Worker;
  /** Ends it at once, whatever it does. */
  terminate(): Promise<void>;
}

/** Starts a file of this folder as a thread, with what it needs to know. */
export function startWorker(file: string, options: unknown): WorkerHandle {
  const url = new URL(`./${file}${EXTENSION}`, import.meta.url);
  const worker = new Worker(url, {
    workerData: options,
    execArgv: EXTENSION === ".ts" ? ["--conditions=nacre-source"] : [],
    resourceLimits: { maxYoungGenerationSizeMb: MAX_YOUNG_HEAP_MB },
  });
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

/** The buffers behind bytes, to be handed over instead of copied. */
export const buffersOf = (
  all: readonly (Uint8Array<ArrayBuffer> | null | undefined)[],
): Transferable[] => all.flatMap((bytes) => (bytes ? [bytes.buffer] : []));
