import { type ChildProcess, spawn, type StdioOptions } from "node:child_process";
import { closeSync, fstatSync, ftruncateSync, openSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { NacreError } from "@nacre/contracts/plain";

/** From sources `.ts`, from a build `.js`. */
const IS_SOURCE = import.meta.url.endsWith(".ts");

const MAIN = new URL(`./main${IS_SOURCE ? ".ts" : ".js"}`, import.meta.url);

/** A longer log is truncated by the next keeper. */
const MAX_LOG_BYTES = 1024 * 1024;

/**
 * Keeps the process small: a small young generation, no helper threads for GC, and no TurboFan, whose code takes 5 MB,
 * for what only runs at the start. `collectWhenIdle` returns the rest.
 */
const NODE_FLAGS = [
  "--expose-gc",
  "--max-semi-space-size=1",
  "--single-threaded-gc",
  "--invocation-count-for-turbofan=30000",
];

/** A loaded machine takes seconds to start a process. */
const MAX_START_MS = 30_000;

export interface KeeperStartOptions {
  /** In a directory that only its owner may enter. */
  readonly socketPath: string;
  readonly logPath: string;
  /** Absent: programs are not persisted. */
  readonly listPath?: string;
  readonly version: string;
  /** Default: this package's. */
  readonly main?: URL;
}

/** In a session of its own; resolves with its pid once it accepts connections. */
export async function startKeeper(place: KeeperStartOptions): Promise<number> {
  const log = openSync(place.logPath, "a", 0o600);
  try {
    if (fstatSync(log).size > MAX_LOG_BYTES) ftruncateSync(log);
    const main = place.main ?? MAIN;
    const conditions = main.pathname.endsWith(".ts") ? ["--conditions=nacre-source"] : [];
    const flags = [...conditions, ...NODE_FLAGS];
    const args = [
      ...flags,
      fileURLToPath(main),
      place.socketPath,
      place.version,
      place.listPath ?? "",
    ];
    const stdio: StdioOptions = ["ignore", "pipe", log];
    // Programs get an environment of their own; the daemon's is nobody else's business.
    const env = { PATH: process.env["PATH"] };
    return await whenReady(spawn(process.execPath, args, { cwd: "/", detached: true, env, stdio }));
  } catch (cause) {
    const message = `the keeper cannot be started: ${String(cause)}`;
    const suggestion = `Look at ${place.logPath} for the reason.`;
    throw new NacreError("pty_unavailable", message, { cause, suggestion });
  } finally {
    closeSync(log);
  }
}

/** Waits for the ready message, then detaches. */
async function whenReady(child: ChildProcess): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const timer = setTimeout(() => reject(new Error("it does not get ready")), MAX_START_MS);
  child.once("error", reject);
  child.once("exit", (code) => reject(new Error(`it ended at once with ${code}`)));
  child.stdout?.once("data", () => resolve(child.pid ?? 0));
  try {
    const pid = await promise;
    child.removeAllListeners("exit").unref();
    return pid;
  } catch (error) {
    child.kill("SIGKILL");
    throw error;
  } finally {
    clearTimeout(timer);
    child.stdout?.destroy();
  }
}
