// The thread that folds the log of the store into its file, because that waits for the disk and the recorder must not.
import { parentPort, workerData } from "node:worker_threads";
import { createCheckpointMethods } from "./fold-calls.ts";
import { serveRpc } from "./thread-call.ts";

/** What the thread is started with. */
export interface CheckpointWorkerOptions {
  readonly path: string;
}

const { path }: CheckpointWorkerOptions = workerData;

if (parentPort) serveRpc(parentPort, createCheckpointMethods(path));
