// Checkpoints the WAL in a thread of its own, because fsync waits for the disk and the recorder must not.
import { parentPort, workerData } from "node:worker_threads";
import { checkpointWalFile } from "../store/sqlite-database.ts";
import { tryCheckpoint } from "./wal-checkpointer.ts";
import { serveRpc } from "../base/port-rpc.ts";

export type CheckpointMethods = ReturnType<typeof createCheckpointMethods>;

/** Resolves to what is wrong with the files, in words. */
const createCheckpointMethods = (path: string) => ({
  checkpoint: (): string | undefined => tryCheckpoint(() => checkpointWalFile(path)),
});

export interface CheckpointWorkerOptions {
  readonly path: string;
}

const { path }: CheckpointWorkerOptions = workerData;

if (parentPort) serveRpc(parentPort, createCheckpointMethods(path));
