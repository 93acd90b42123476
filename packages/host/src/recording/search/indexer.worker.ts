// Keeps the search index up to date; its only writer.
import { setPriority } from "node:os";
import { parentPort, workerData } from "node:worker_threads";
import { openSqliteReader } from "../../store/sqlite-store.ts";
import { reportProblem, serveRpc } from "../../base/port-rpc.ts";
import { createIndexerMethods, Indexer } from "./indexer.ts";

export interface IndexerWorkerOptions {
  readonly storePath: string;
  readonly indexPath: string;
}

/** A nice value: leaves most of a busy CPU to others, not all of it. */
const INDEXER_PRIORITY = 15;

const { storePath, indexPath }: IndexerWorkerOptions = workerData;

if (parentPort) {
  // On Linux this affects the calling thread alone: recording goes before finding.
  if (process.platform === "linux") setPriority(INDEXER_PRIORITY);
  const port = parentPort;
  const handleDamage = (error: unknown): void => reportProblem(port, error);
  const store = openSqliteReader(storePath);
  const indexer = new Indexer({ store, path: indexPath, handleDamage });
  serveRpc(port, createIndexerMethods(indexer));
}
