// A reader thread: everything that only reads recordings, so that it never stalls a write or the main thread.
import { parentPort, workerData } from "node:worker_threads";
import { openSqliteReader } from "../store/sqlite-store.ts";
import { readerCalls, transferOfAnswer } from "./reader-calls.ts";
import { answerCalls } from "./thread-call.ts";

/** What the thread is started with. */
export interface ReaderThreadOptions {
  readonly path: string;
}

const { path }: ReaderThreadOptions = workerData;

if (parentPort) answerCalls(parentPort, readerCalls(openSqliteReader(path)), transferOfAnswer);
