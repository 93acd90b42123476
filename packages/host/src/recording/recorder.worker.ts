// The recorder thread: the only writer of the store.
import { statfsSync } from "node:fs";
import { dirname } from "node:path";
import { parentPort, workerData } from "node:worker_threads";
import { openSqliteStore } from "../store/sqlite-store.ts";
import type { Durability } from "../store/store.ts";
import { serveRecorder } from "./recorder-service.ts";

/** What the thread is started with. */
export interface RecorderThreadOptions {
  readonly path: string;
  readonly durability: Durability;
  readonly floorBytes?: number;
}

const { path, durability, floorBytes }: RecorderThreadOptions = workerData;

if (parentPort) {
  serveRecorder(parentPort, {
    open: () => openSqliteStore(path, durability),
    freeBytes: () => {
      const { bavail, bsize } = statfsSync(dirname(path));
      return bavail * bsize;
    },
    ...(floorBytes === undefined ? {} : { floorBytes }),
  });
}
