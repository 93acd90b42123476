import { foldLogOf } from "../store/sqlite-database.ts";
import { tryToFold } from "./log-folding.ts";

/** What the thread that folds can be asked. */
export type FoldCalls = ReturnType<typeof foldCalls>;

/** Folds the log of the store in this file; answers what went wrong with its files, in words. */
export const foldCalls = (path: string) => ({
  fold: (): string | undefined => tryToFold(() => foldLogOf(path)),
});
