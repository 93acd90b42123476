import { DatabaseSync } from "node:sqlite";
import { NacreError } from "@nacre/contracts";
import { createPrivateFile } from "./sqlite-database.ts";

/** SQLite's result code when somebody else holds a lock. */
const SQLITE_BUSY = 5;

/** Takes the lock beside a store for as long as this process lives: the kernel lets go of it with the process, however it ends. */
export function lockStore(path: string): Disposable {
  // An exclusive transaction that never ends is a lock on every platform, without native code.
  createPrivateFile(`${path}.lock`);
  const database = new DatabaseSync(`${path}.lock`, { timeout: 0 });
  try {
    database.exec("BEGIN EXCLUSIVE");
  } catch (error) {
    database.close();
    if (!isBusy(error)) throw error;
    throw new NacreError("unavailable", `another host uses the store ${path}`, {
      cause: error,
      suggestion: "Use the running host, or give this one a state directory of its own.",
    });
  }
  return { [Symbol.dispose]: () => database.close() };
}

/** Tells whether SQLite gave up because of another's lock. */
function isBusy(error: unknown): boolean {
  return error instanceof Error && "errcode" in error && error.errcode === SQLITE_BUSY;
}
