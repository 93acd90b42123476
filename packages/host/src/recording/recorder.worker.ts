// The recorder thread: the only writer of the store.
import { statfsSync } from "node:fs";
import { dirname } from "node:path";
import { parentPort, workerData } from "node:worker_threads";
import { openSqliteStore } from "../store/sqlite-store.ts";
import type { Durability } from "../store/store.ts";
import { lockStore } from "../store/store-lock.ts";
import { toStoreDamageError } from "./damage.ts";
import type { CheckpointMethods } from "./fold-calls.ts";
import { serveRecorder } from "./recorder-service.ts";
import { RestartingWorker } from "./service.ts";
import { startWorker } from "./thread.ts";

/** What the thread is started with. */
export interface RecorderWorkerOptions {
  readonly path: string;
  readonly durability: Durability;
  readonly floorBytes?: number;
}

const { path, durability, floorBytes }: RecorderWorkerOptions = workerData;

if (parentPort) {
  let lock: Disposable | undefined;
  const folder = new RestartingWorker<CheckpointMethods>(() =>
    startWorker("fold.worker", { path }),
  );
  serveRecorder(parentPort, {
    // The lock is kept while a store that failed is opened anew, so that nobody slips in between.
    open: () => {
      try {
        return openSqliteStore(path, durability, (lock ??= lockStore(path)));
      } catch (error) {
        throw toStoreDamageError(error, path);
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
