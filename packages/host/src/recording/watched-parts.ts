import { createFileWorkers, createMemoryWorkers, type RecordingWorkers } from "./parts.ts";
import type { RecordingsOptions } from "./recordings-options.ts";
import type { WorkerHandle } from "./thread.ts";

type OnWorkerExit = NonNullable<RecordingsOptions["handlePartEnd"]>;

/** The parts that these options ask for. */
export function createWorkers(options: RecordingsOptions): RecordingWorkers {
  const { directory, handlePartEnd } = options;
  const parts =
    directory === undefined ? createMemoryWorkers() : createFileWorkers(directory, options);
  return watchWorkers(parts, (part, error) => handlePartEnd?.(part, error));
}

/** The same parts, whose unforeseen ends are told of. */
function watchWorkers(parts: RecordingWorkers, handleEnd: OnWorkerExit): RecordingWorkers {
  const watch = (name: keyof RecordingWorkers): WorkerHandle => {
    const part = parts[name]();
    let isEnded = false;
    const end = (error: Error): void => {
      if (!isEnded) handleEnd(name, error);
      isEnded = true;
    };
    part.port.on("error", end);
    part.port.on("exit", (code: number) => {
      if (code !== 0) end(new Error(`its thread ended with ${code}`));
    });
    const terminate = (): Promise<void> => {
      isEnded = true;
      return part.terminate();
    };
    return { port: part.port, terminate };
  };
  return {
    recorder: () => watch("recorder"),
    reader: () => watch("reader"),
    indexer: () => watch("indexer"),
    searcher: () => watch("searcher"),
  };
}
