import { rmSync, writeFileSync } from "node:fs";
import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { runDirectoryOf } from "@nacre/client/quick";

/** A restart that takes longer has failed; whoever needs a daemon starts one then. */
const MAX_RESTART_MS = 60_000;

const pathOf = (): string => join(runDirectoryOf(), "restarting");

/** Says for as long as it lasts that this process restarts the daemon: another that starts one meanwhile would not know its settings. */
export function markRestart(): Disposable {
  const path = pathOf();
  writeFileSync(path, `${process.pid}\n`, { mode: 0o600 });
  return { [Symbol.dispose]: () => rmSync(path, { force: true }) };
}

/** Whether somebody restarts the daemon just now. */
export async function isRestarting(): Promise<boolean> {
  try {
    const path = pathOf();
    const { mtimeMs } = await stat(path);
    const pid = Number.parseInt(await readFile(path, "utf8"), 10);
    return pid > 0 && Date.now() - mtimeMs < MAX_RESTART_MS && process.kill(pid, 0);
  } catch {
    return false; // Nobody does, or nobody is left who did.
  }
}
