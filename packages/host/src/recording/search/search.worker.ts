// The thread that searches; it may be ended in the middle of a search that takes too long.
import { parentPort, workerData } from "node:worker_threads";
import { openDatabase } from "../../store/sqlite-database.ts";
import { openSqliteReader } from "../../store/sqlite-store.ts";
import { answerCalls } from "../thread-call.ts";
import { IndexReader } from "./index-reader.ts";
import { Searcher } from "./search.ts";
import { searchCalls } from "./search-link.ts";
import type { IndexerThreadOptions } from "./indexer.worker.ts";

const { storePath, indexPath }: IndexerThreadOptions = workerData;

if (parentPort) {
  const index = new IndexReader(openDatabase(indexPath, { readOnly: true }));
  answerCalls(parentPort, searchCalls(new Searcher(openSqliteReader(storePath), index)));
}
