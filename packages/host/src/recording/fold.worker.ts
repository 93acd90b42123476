// The thread that folds the log of the store into its file, because that waits for the disk and the recorder must not.
import { parentPort, workerData } from "node:worker_threads";
import { foldCalls } from "./fold-calls.ts";
import { answerCalls } from "./thread-call.ts";

/** What the thread is started with. */
export interface FoldThreadOptions {
  readonly path: string;
}

const { path }: FoldThreadOptions = workerData;

if (parentPort) answerCalls(parentPort, foldCalls(path));
