import { lstatSync } from "node:fs";
import { join } from "node:path";
import { NacreError } from "@nacre/contracts";
import { lockStore } from "../store/store-lock.ts";

/** Takes the lock of a state directory for as long as this process lives, or says by `undefined` that a daemon has it. */
export function takeLock(state: string): Disposable | undefined {
  const path = join(state, "daemon");
  requirePlainFile(`${path}.lock`);
  try {
    return lockStore(path);
  } catch (error) {
    if (error instanceof NacreError && error.code === "unavailable") return undefined;
    throw error;
  }
}

/** Looks without opening: closing a file that SQLite has open here would drop its lock. */
function requirePlainFile(path: string): void {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (!stats || (stats.isFile() && stats.nlink === 1)) return;
  throw new NacreError("unavailable", `${path} is not a plain file; refusing to use it`, {
    suggestion: "Look who put it there, then remove it.",
  });
}
