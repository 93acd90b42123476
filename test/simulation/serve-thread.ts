// What runs in the threads of a daemon: the real code over the made-up disk, and text in place of screens.
import type { MessagePort } from "node:worker_threads";
import {
  createReaderMethods,
  transferablesOf,
} from "../../packages/host/src/recording/recording-reader.ts";
import { serveRecorder } from "../../packages/host/src/recording/recorder.ts";
import { IndexReader } from "../../packages/host/src/recording/search/index-reader.ts";
import type { IndexStore } from "../../packages/host/src/recording/search/index-store.ts";
import { createIndexerMethods, Indexer } from "../../packages/host/src/recording/search/indexer.ts";
import { createSearchMethods } from "../../packages/host/src/recording/search/search-client.ts";
import { Searcher } from "../../packages/host/src/recording/search/searcher.ts";
import { serveRpc } from "../../packages/host/src/base/port-rpc.ts";
import type { Checks } from "./checks.ts";
import type { FakeDisk } from "./fake-disk.ts";
import { serveDrawings } from "./fake-drawings.ts";
import type { ThreadPort } from "./fake-thread.ts";

/** What is left free on the disk, as the recorder has it. */
const FLOOR_BYTES = 64 * 1024 * 1024;

/** What stands for the indexer where nobody searches. */
const NO_INDEX = Object.fromEntries(
  ["ready", "changed", "caughtUp", "forget", "trim", "scrub", "rebuild", "close"].map((name) => [
    name,
    (): undefined => undefined,
  ]),
);

/** What threads work with. */
export interface ThreadSetting {
  readonly disk: FakeDisk;
  readonly checks: Checks;
  readonly index: IndexStore;
  /** Whether recordings are indexed. */
  readonly isSearched: boolean;
  readonly buggify: (probability: number) => boolean;
}

/** A thread as it is started. */
export interface StartedThread {
  readonly name: string;
  readonly port: ThreadPort;
  readonly workerData: unknown;
}

/** Runs a thread of this name. */
export function serveThread(thread: StartedThread, setting: ThreadSetting): void {
  const { disk, checks, index, isSearched, buggify } = setting;
  const { name, port: threadPort, workerData } = thread;
  const port = threadPort as unknown as MessagePort;
  switch (name) {
    case "recorder":
      return serveRecorder(port, {
        open: () => disk.open(),
        freeBytes: () => disk.freeBytes,
        floorBytes: FLOOR_BYTES,
      });
    case "reader":
      return serveRpc(port, createReaderMethods(disk.image), transferablesOf);
    case "indexer": {
      if (!isSearched) return serveRpc(port, NO_INDEX);
      const shared = index;
      return serveRpc(
        port,
        createIndexerMethods(new Indexer({ store: disk.image, path: ":memory:", shared })),
      );
    }
    case "search": {
      const searcher = new Searcher(disk.image, new IndexReader(index.database));
      return serveRpc(
        port,
        createSearchMethods(() => searcher),
      );
    }
    case "screen":
      return serveDrawings(threadPort, workerData, () => {
        const hangs = buggify(0.001);
        checks.sometimes("screenThreadLost", hangs);
        return hangs;
      });
    default:
      throw new Error(`nothing stands for the thread ${name}`);
  }
}
