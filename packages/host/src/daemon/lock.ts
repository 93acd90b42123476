import { lstatSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { NacreError } from "@nacre/contracts";
import { lockStore } from "../store/sqlite-database.ts";

/** How long a lock that nobody found has is waited for: the last thread of a killed daemon keeps it for some milliseconds. */
export const LOCK_PATIENCE_MS = 2000;

const LOCK_RETRY_MS = 10;

/** How often it is tried by who waits for longer: for a daemon that is starting, which needs the processor itself. */
const SLOW_RETRY_MS = 100;

/** Takes the lock of a state directory as soon as whoever is just ending gives it back; `undefined` when a daemon has it that `isFound`, or that keeps it. */
export async function waitForLock(
  state: string,
  isFound: () => boolean,
  patienceMs = LOCK_PATIENCE_MS,
): Promise<Disposable | undefined> {
  const since = performance.now();
  for (;;) {
    const lock = takeLock(state);
    const waitedMs = performance.now() - since;
    if (lock || isFound() || waitedMs > patienceMs) return lock;
    await setTimeout(waitedMs < LOCK_PATIENCE_MS ? LOCK_RETRY_MS : SLOW_RETRY_MS);
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
