// A thread that searches; it may be ended in the middle of a search that takes too long.
import { parentPort, workerData } from "node:worker_threads";
import { openSqliteReader } from "../../store/sqlite-store.ts";
import { answerCalls } from "../thread-call.ts";
import { FiledIndex } from "./filed-index.ts";
import type { IndexerThreadOptions } from "./indexer.worker.ts";
import { Searcher } from "./search.ts";
import { searchCalls } from "./search-link.ts";

const { storePath, indexPath }: IndexerThreadOptions = workerData;

if (parentPort) {
  const index = new FiledIndex(indexPath);
  const store = openSqliteReader(storePath);
  answerCalls(
    parentPort,
    searchCalls(() => new Searcher(store, index.reader())),
  );
}
