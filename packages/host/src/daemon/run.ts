import { flushCompileCache } from "node:module";
import { setFlagsFromString } from "node:v8";
import { diskFullError, isOutOfSpace } from "../base/disk-full.ts";
import { SETTING_VARIABLES } from "../config/config.ts";
import type { Daemon } from "./daemon.ts";
import { type DaemonOptions, startDaemon } from "./main.ts";
import { endOnSignals } from "./stop-daemon.ts";

const FAILED = 1;

/** Whoever waited for the start comes first. */
const KEEP_CODE_MS = 250;

/** A thread may have so much more than it needed, in percent, before V8 looks at all of it. Left to itself it takes the buffers of a flood that are on their way for growth, and looks ten times a second. */
const HEAP_GROWING_PERCENT = 100;

/** Starts a daemon that has this process to itself: signals end it in order, and an unforeseen failure ends it at once. */
export async function runDaemon(options: DaemonOptions): Promise<Daemon> {
  forgetVariables(process.env);
  setFlagsFromString(`--heap-growing-percent=${HEAP_GROWING_PERCENT}`);
  // Whoever read what it says may be gone; the file has it, and that is no reason to end.
  for (const stream of [process.stdout, process.stderr]) stream.on("error", () => undefined);
  const daemon = await startDaemon(options).catch((error: unknown) => {
    throw isOutOfSpace(error) ? diskFullError(error) : error;
  });
  const { log } = daemon;
  // Nobody knows what still works after one; programs in terminals must not depend on it.
  process.on("uncaughtException", (error) => {
    log.error("an unforeseen failure ended the daemon", { error });
    process.exit(FAILED);
  });
  // Node does so at an orderly end; one that is killed is the one to come back soon.
  setTimeout(flushCompileCache, KEEP_CODE_MS).unref();
  endOnSignals({ log, stop: (how) => daemon.stop(how) });
  return daemon;
}

/** Takes away what is about this daemon, or about the terminal it was started in: nothing it starts is to know either. */
export function forgetVariables(env: NodeJS.ProcessEnv): void {
  for (const name of Object.keys(env)) {
    if (name.startsWith("NACRE_") || SETTING_VARIABLES.includes(name)) delete env[name];
  }
}
