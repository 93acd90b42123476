import { rmSync, writeFileSync } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { runDirectoryOf } from "@nacre/client/quick";

/** A mark that is older does not count: no daemon takes that long to end and another to start. */
const MAX_RESTART_MS = 120_000;

/** Each process that restarts the daemon has a mark of its own, named by its pid. */
const MARK = /^restarting-(\d+)$/;

/** Says for as long as it lasts that this process restarts the daemon: another that starts one meanwhile would not know its settings. */
export function markRestart(): Disposable {
  const path = join(runDirectoryOf(), `restarting-${process.pid}`);
  writeFileSync(path, "", { mode: 0o600 });
  return { [Symbol.dispose]: () => rmSync(path, { force: true }) };
}

/** Whether somebody restarts the daemon just now. */
export async function isRestarting(): Promise<boolean> {
  const run = runDirectoryOf();
  const names = await readdir(run).catch(() => []);
  const marks = await Promise.all(names.map((name) => isRestartedBy(run, name)));
  return marks.includes(true);
}

async function isRestartedBy(run: string, name: string): Promise<boolean> {
  const pid = MARK.exec(name)?.[1];
  if (pid === undefined) return false;
  try {
    const { mtimeMs } = await stat(join(run, name));
    return Math.abs(Date.now() - mtimeMs) < MAX_RESTART_MS && process.kill(Number(pid), 0);
  } catch {
    return false; // It is over, or nobody is left who did it.
  }
}
