// The thread that keeps the search index up to date; the only writer of the index.
import { setPriority } from "node:os";
import { parentPort, workerData } from "node:worker_threads";
import { openSqliteReader } from "../../store/sqlite-store.ts";
import { reportProblem, serveRpc } from "../../base/port-rpc.ts";
import { createIndexerMethods, Indexer } from "./indexer.ts";

export interface IndexerWorkerOptions {
  readonly storePath: string;
  readonly indexPath: string;
}

/** The nice value of the thread: what it leaves to others is most of a busy processor, not all of it. */
const INDEXER_PRIORITY = 15;

const { storePath, indexPath }: IndexerWorkerOptions = workerData;

if (parentPort) {
  // On Linux this is about the calling thread alone: finding text a moment later is better than recording it later.
  if (process.platform === "linux") setPriority(INDEXER_PRIORITY);
  const port = parentPort;
  const handleDamage = (error: unknown): void => reportProblem(port, error);
  const store = openSqliteReader(storePath);
  const indexer = new Indexer({ store, path: indexPath, handleDamage });
  serveRpc(port, createIndexerMethods(indexer));
}
