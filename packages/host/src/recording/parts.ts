// Which parts recordings are made of: threads over files, or everything in this thread over memory.
import { join } from "node:path";
import { MemoryStore } from "../store/memory-store.ts";
import type { Durability } from "../store/store.ts";
import { createReaderMethods, transferablesOf } from "./reader-calls.ts";
import { serveRecorder } from "./recorder-service.ts";
import { Indexer } from "./search/indexer.ts";
import { createIndexerMethods } from "./search/indexer-calls.ts";
import { IndexReader } from "./search/index-reader.ts";
import { IndexStore } from "./search/index-store.ts";
import { Searcher } from "./search/search.ts";
import { createSearchMethods } from "./search/search-link.ts";
import { type WorkerHandle, startInline, startWorker } from "./thread.ts";
import { serveRpc, reportProblem } from "./thread-call.ts";

/** How each part is started; each may be started again when it ended. */
export interface RecordingWorkers {
  recorder(): WorkerHandle;
  reader(): WorkerHandle;
  indexer(): WorkerHandle;
  searcher(): WorkerHandle;
}

/** Where recordings are kept and what the disk has to promise. */
export interface StorageOptions {
  /** Kept in this directory; in memory when absent, and then only the newest part of each recording. */
  readonly directory?: string;
  /** What is kept of each recording in memory, beyond which its oldest entries are removed; 16 MiB when absent. */
  readonly memoryBytesPerTerminal?: number;
  readonly durability?: Durability;
  /** What is to be left free on the disk. */
  readonly floorBytes?: number;
}

/** The name of the store and of the index in their directory. */
const STORE_FILE = "recordings.db";
const INDEX_FILE = "search.db";

/** Threads over files: one writer per file, and readers that never hold it up. */
export function createFileWorkers(directory: string, options: StorageOptions): RecordingWorkers {
  const path = join(directory, STORE_FILE);
  const both = { storePath: path, indexPath: join(directory, INDEX_FILE) };
  const { durability = "process", floorBytes } = options;
  return {
    recorder: () => startWorker("recorder.worker", { path, durability, floorBytes }),
    reader: () => startWorker("reader.worker", { path }),
    indexer: () => startWorker("search/indexer.worker", both),
    searcher: () => startWorker("search/search.worker", both),
  };
}

/** Everything in this thread and in memory; a search that takes too long cannot be ended here. */
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
