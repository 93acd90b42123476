// The thread that checkpoints the WAL of the store into its file, because that waits for the disk and the recorder must not.
import { parentPort, workerData } from "node:worker_threads";
import { checkpointWalFile } from "../store/sqlite-database.ts";
import { tryCheckpoint } from "./wal-checkpointer.ts";
import { serveRpc } from "../base/port-rpc.ts";

/** What the thread that checkpoints can be asked. */
export type CheckpointMethods = ReturnType<typeof createCheckpointMethods>;

/** Checkpoints the WAL of the store in this file; answers what went wrong with its files, in words. */
const createCheckpointMethods = (path: string) => ({
  checkpoint: (): string | undefined => tryCheckpoint(() => checkpointWalFile(path)),
});

export interface CheckpointWorkerOptions {
  readonly path: string;
}

const { path }: CheckpointWorkerOptions = workerData;

if (parentPort) serveRpc(parentPort, createCheckpointMethods(path));
