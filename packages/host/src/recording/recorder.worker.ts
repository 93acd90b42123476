// The recorder thread: the only writer of the store.
import { statfsSync } from "node:fs";
import { dirname } from "node:path";
import { parentPort, workerData } from "node:worker_threads";
import { openSqliteStore } from "../store/sqlite-store.ts";
import type { Durability } from "../store/store.ts";
import { lockStore } from "../store/store-lock.ts";
import { damagedStore } from "./damage.ts";
import type { FoldCalls } from "./fold-calls.ts";
import { serveRecorder } from "./recorder-service.ts";
import { Service } from "./service.ts";
import { startThread } from "./thread.ts";

/** What the thread is started with. */
export interface RecorderThreadOptions {
  readonly path: string;
  readonly durability: Durability;
  readonly floorBytes?: number;
}

const { path, durability, floorBytes }: RecorderThreadOptions = workerData;

if (parentPort) {
  let lock: Disposable | undefined;
  const folder = new Service<FoldCalls>(() => startThread("fold.worker", { path }));
  serveRecorder(parentPort, {
    // The lock is kept while a store that failed is opened anew, so that nobody slips in between.
    open: () => {
      try {
        return openSqliteStore(path, durability, (lock ??= lockStore(path)));
      } catch (error) {
        throw damagedStore(error, path);
      }
    },
    freeBytes: () => {
      const { bavail, bsize } = statfsSync(dirname(path));
      return bavail * bsize;
    },
    fold: () => folder.current.call("fold"),
    helper: folder,
    ...(floorBytes === undefined ? {} : { floorBytes }),
  });
}
