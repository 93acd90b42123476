// A reader thread: reads of recordings stall neither writes nor the main thread.
import { parentPort, workerData } from "node:worker_threads";
import { openSqliteReader } from "../store/sqlite-store.ts";
import { createReaderMethods, transferablesOf } from "./recording-reader.ts";
import { serveRpc } from "../base/port-rpc.ts";

export interface ReaderWorkerOptions {
  readonly path: string;
}

const { path }: ReaderWorkerOptions = workerData;

if (parentPort) serveRpc(parentPort, createReaderMethods(openSqliteReader(path)), transferablesOf);
