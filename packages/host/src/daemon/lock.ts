import { lstatSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { NacreError } from "@nacre/contracts";
import { lockStore } from "../store/sqlite-database.ts";

/** How long to wait for a lock without a known holder: a killed daemon's last thread keeps it for some milliseconds. */
const LOCK_PATIENCE_MS = 2000;

const LOCK_RETRY_MS = 10;

/** Waits for a daemon that is just ending; undefined when a daemon that `isFound` has the lock, or keeps it. */
export async function waitForLock(
  state: string,
  isFound: () => boolean,
): Promise<Disposable | undefined> {
  const deadline = performance.now() + LOCK_PATIENCE_MS;
  for (;;) {
    const lock = takeLock(state);
    if (lock || isFound() || performance.now() > deadline) return lock;
    await setTimeout(LOCK_RETRY_MS);
  }
}

/** For the life of this process; undefined when a daemon has it. */
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

/** Without opening: closing a file that SQLite has open here would drop its lock. */
function requirePlainFile(path: string): void {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (!stats || (stats.isFile() && stats.nlink === 1)) return;
  throw new NacreError("unavailable", `${path} is not a plain file; refusing to use it`, {
    suggestion: "Find out who put it there, then remove it.",
  });
}
