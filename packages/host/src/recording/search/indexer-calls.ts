import type { TerminalId } from "@nacre/contracts";
import type { Indexer } from "./indexer.ts";

/** What the indexer can be asked. */
export const createIndexerMethods = (indexer: Indexer) => ({
  /** Answers once the index is open. */
  ready: (): void => undefined,
  changed: (ids: readonly TerminalId[]): void => indexer.changed(ids),
  caughtUp: (): Promise<void> => indexer.caughtUp(),
  forget: (id: TerminalId): void => indexer.forget(id),
  trim: (id: TerminalId, throughSequence: number): void => indexer.trim(id, throughSequence),
  scrub: (): void => indexer.scrub(),
  rebuild: (): void => indexer.rebuild(),
  close: (): void => indexer[Symbol.dispose](),
});

/** The table of what the indexer can be asked. */
export type IndexerMethods = ReturnType<typeof createIndexerMethods>;
