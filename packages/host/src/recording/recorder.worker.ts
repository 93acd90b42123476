// The recorder thread: the only writer of the store.
import { statfsSync } from "node:fs";
import { dirname } from "node:path";
import { parentPort, workerData } from "node:worker_threads";
import { lockStore } from "../store/sqlite-database.ts";
import { openSqliteStore } from "../store/sqlite-store.ts";
import type { Durability } from "../store/store.ts";
import { toStoreDamageError } from "./store-errors.ts";
import type { CheckpointMethods } from "./checkpoint.worker.ts";
import { serveRecorder } from "./recorder.ts";
import { RestartingWorker } from "../base/port-rpc.ts";
import { startWorker } from "../base/worker.ts";

export interface RecorderWorkerOptions {
  readonly path: string;
  readonly durability: Durability;
  readonly floorBytes?: number;
}

const { path, durability, floorBytes }: RecorderWorkerOptions = workerData;

if (parentPort) {
  let lock: Disposable | undefined;
  const checkpointer = new RestartingWorker<CheckpointMethods>(() =>
    startWorker("recording/checkpoint.worker", { path }),
  );
  serveRecorder(parentPort, {
    // The lock is held while a failed store is reopened, so that nobody slips in between.
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
    checkpoint: () => checkpointer.current.call("checkpoint"),
    helper: checkpointer,
    ...(floorBytes === undefined ? {} : { floorBytes }),
  });
}
