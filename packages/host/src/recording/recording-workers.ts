// Workers of recordings: threads over files, or everything in this thread over memory.
import { join } from "node:path";
import type { NacreError, StorageInfo, TerminalId, TerminalRecordingEntry } from "@nacre/contracts";
import { MemoryStore } from "../store/memory-store.ts";
import type { Durability } from "../store/store.ts";
import { createReaderMethods, transferablesOf } from "./recording-reader.ts";
import { serveRecorder } from "./recorder.ts";
import { IndexReader } from "./search/index-reader.ts";
import { IndexStore } from "./search/index-store.ts";
import { createIndexerMethods, Indexer } from "./search/indexer.ts";
import { createSearchMethods } from "./search/search-client.ts";
import { Searcher } from "./search/searcher.ts";
import { reportProblem, serveRpc } from "../base/port-rpc.ts";
import { startInline, startWorker, type WorkerHandle } from "../base/worker.ts";
import type { RecorderState } from "./write.ts";

/** Each may be started again after it ended. */
export interface RecordingWorkers {
  recorder(): WorkerHandle;
  reader(): WorkerHandle;
  indexer(): WorkerHandle;
  searcher(): WorkerHandle;
}

interface StorageOptions {
  /** Absent: in memory, with only the newest part of each recording. */
  readonly directory?: string;
  /** Oldest entries beyond this are removed; default 16 MiB. */
  readonly memoryBytesPerTerminal?: number;
  readonly durability?: Durability;
  /** Free space to leave on the disk. */
  readonly floorBytes?: number;
}

const STORE_FILE = "recordings.db";
const INDEX_FILE = "search.db";

/** One writer per file, and readers that never delay it. */
function createFileWorkers(directory: string, options: StorageOptions): RecordingWorkers {
  const path = join(directory, STORE_FILE);
  const both = { storePath: path, indexPath: join(directory, INDEX_FILE) };
  const { durability = "process", floorBytes } = options;
  return {
    recorder: () => startWorker("recording/recorder.worker", { path, durability, floorBytes }),
    reader: () => startWorker("recording/reader.worker", { path }),
    indexer: () => startWorker("recording/search/indexer.worker", both),
    searcher: () => startWorker("recording/search/search.worker", both),
  };
}

/** Everything in this thread; a search that takes too long cannot be ended here. */
export function createMemoryWorkers(): RecordingWorkers {
  const store = new MemoryStore();
  const index = new IndexStore(":memory:");
  const everything = { open: () => store, freeBytes: () => Number.POSITIVE_INFINITY };
  return {
    recorder: () => startInline((port) => serveRecorder(port, everything)),
    reader: () =>
      startInline((port) => serveRpc(port, createReaderMethods(store), transferablesOf)),
    indexer: () =>
      startInline((port) => {
        const handleDamage = (error: unknown): void => reportProblem(port, error);
        const path = ":memory:";
        const indexer = new Indexer({ store, path, shared: index, handleDamage });
        serveRpc(port, createIndexerMethods(indexer));
      }),
    searcher: () =>
      startInline((port) => {
        const searcher = new Searcher(store, new IndexReader(index.database));
        serveRpc(
          port,
          createSearchMethods(() => searcher),
        );
      }),
  };
}

type OnWorkerExit = NonNullable<RecordingsOptions["onWorkerExit"]>;

export function createWorkers(options: RecordingsOptions): RecordingWorkers {
  const { directory, onWorkerExit } = options;
  const workers =
    directory === undefined ? createMemoryWorkers() : createFileWorkers(directory, options);
  return watchWorkers(workers, (worker, error) => onWorkerExit?.(worker, error));
}

/** Reports unexpected exits. */
function watchWorkers(workers: RecordingWorkers, handleEnd: OnWorkerExit): RecordingWorkers {
  const watch = (name: keyof RecordingWorkers): WorkerHandle => {
    const worker = workers[name]();
    let isEnded = false;
    const end = (error: Error): void => {
      if (!isEnded) handleEnd(name, error);
      isEnded = true;
    };
    worker.port.on("error", end);
    worker.port.on("exit", (code: number) => {
      if (code !== 0) end(new Error(`its thread ended with ${code}`));
    });
    const terminate = (): Promise<void> => {
      isEnded = true;
      return worker.terminate();
    };
    return { port: worker.port, terminate };
  };
  return {
    recorder: () => watch("recorder"),
    reader: () => watch("reader"),
    indexer: () => watch("indexer"),
    searcher: () => watch("searcher"),
  };
}

export interface RecordingsOptions extends StorageOptions {
  /** Whether recordings can be written changed. */
  handleState?(state: RecorderState): void;
  /** The disk became full, fails, runs low, or recovered. */
  handleStorage?(storage: StorageInfo): void;
  /** A gap entry was appended. */
  handleEntry?(entry: TerminalRecordingEntry): void;
  /** Reported once per recording. */
  handleDamage?(terminalId: TerminalId, error: NacreError): void;
  /** The index is damaged and rebuilt from the recordings; reported once until a search succeeds again. */
  handleIndexDamage?(error: unknown): void;
  /** A worker ended unexpectedly and is restarted. */
  readonly onWorkerExit?: (worker: keyof RecordingWorkers, error: Error) => void;
}
