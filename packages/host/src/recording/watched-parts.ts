import { filedParts, memoryParts, type Parts } from "./parts.ts";
import type { RecordingsOptions } from "./recordings-options.ts";
import type { Part } from "./thread.ts";

type HandlePartEnd = NonNullable<RecordingsOptions["handlePartEnd"]>;

/** The parts that these options ask for. */
export function partsFor(options: RecordingsOptions): Parts {
  const { directory, handlePartEnd } = options;
  const parts = directory === undefined ? memoryParts() : filedParts(directory, options);
  return watchedParts(parts, (part, error) => handlePartEnd?.(part, error));
}

/** The same parts, whose unforeseen ends are told of. */
function watchedParts(parts: Parts, handleEnd: HandlePartEnd): Parts {
  const watch = (name: keyof Parts): Part => {
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
