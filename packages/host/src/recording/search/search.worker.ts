// Searches; may be terminated in the middle of one.
import { parentPort, workerData } from "node:worker_threads";
import { openSqliteReader } from "../../store/sqlite-store.ts";
import { serveRpc } from "../../base/port-rpc.ts";
import { IndexFile } from "./index-reader.ts";
import type { IndexerWorkerOptions } from "./indexer.worker.ts";
import { createSearchMethods } from "./search-client.ts";
import { Searcher } from "./searcher.ts";

const { storePath, indexPath }: IndexerWorkerOptions = workerData;

if (parentPort) {
  const index = new IndexFile(indexPath);
  const store = openSqliteReader(storePath);
  serveRpc(
    parentPort,
    createSearchMethods(() => new Searcher(store, index.reader())),
  );
}
