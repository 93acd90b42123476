import { flushCompileCache } from "node:module";
import { setFlagsFromString } from "node:v8";
import { diskFullError, isOutOfSpace } from "../base/disk-full.ts";
import { SETTING_VARIABLES } from "../config/config.ts";
import type { Daemon } from "./daemon.ts";
import { type DaemonOptions, startDaemon } from "./main.ts";
import { endOnSignals } from "./stop-daemon.ts";

const FAILED = 1;

/** Whoever waits for the start comes first. */
const KEEP_CODE_MS = 250;

/**
 * `--heap-growing-percent`: how much a heap may grow before a full GC. By default V8 takes in-flight buffers of a flood
 * for growth, and runs ten a second.
 */
const HEAP_GROWING_PERCENT = 100;

/** A daemon with a process of its own: signals end it in order, an uncaught exception at once. */
export async function runDaemon(options: DaemonOptions): Promise<Daemon> {
  forgetVariables(process.env);
  setFlagsFromString(`--heap-growing-percent=${HEAP_GROWING_PERCENT}`);
  // EPIPE on stdout or stderr must not end the daemon; the file has the lines.
  for (const stream of [process.stdout, process.stderr]) stream.on("error", () => undefined);
  const daemon = await startDaemon(options).catch((error: unknown) => {
    throw isOutOfSpace(error) ? diskFullError(error) : error;
  });
  const { log } = daemon;
  // The state is unknown after one; programs in terminals must not depend on it.
  process.on("uncaughtException", (error) => {
    log.error("an unforeseen failure ended the daemon", { error });
    process.exit(FAILED);
  });
  // Node writes it at an orderly exit; a killed daemon is the one to come back soon.
  setTimeout(flushCompileCache, KEEP_CODE_MS).unref();
  endOnSignals({ log, stop: (how) => daemon.stop(how) });
  return daemon;
}

/** Variables about this daemon or the terminal it was started in: child programs must know neither. */
export function forgetVariables(env: NodeJS.ProcessEnv): void {
  for (const name of Object.keys(env)) {
    if (name.startsWith("NACRE_") || SETTING_VARIABLES.includes(name)) delete env[name];
  }
}
