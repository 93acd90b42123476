import { checkpointWalFile } from "../store/sqlite-database.ts";
import { tryCheckpoint } from "./log-folding.ts";

/** What the thread that folds can be asked. */
export type CheckpointMethods = ReturnType<typeof createCheckpointMethods>;

/** Folds the log of the store in this file; answers what went wrong with its files, in words. */
export const createCheckpointMethods = (path: string) => ({
  fold: (): string | undefined => tryCheckpoint(() => checkpointWalFile(path)),
});
