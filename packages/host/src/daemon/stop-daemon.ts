import { setTimeout as delay } from "node:timers/promises";
import { NacreError } from "@nacre/contracts";
import { type Discovery, isStillRunning } from "./discovery.ts";
import type { Log } from "./log.ts";

/** Ends the daemon but leaves its programs in the keeper. */
const KEEPING_SIGNAL = "SIGUSR2";

/** SIGHUP comes from a closed window. */
const SIGNALS: readonly NodeJS.Signals[] = ["SIGTERM", "SIGINT", "SIGHUP", KEEPING_SIGNAL];

/** What has not ended by now will not. */
const DEADLINE_MS = 5500;

/** Ctrl-C reaches a whole process group, some of which forward it: this soon it is the same one. */
const SAME_SIGNAL_MS = 500;

const FAILED = 1;

export interface ShutdownOptions {
  readonly log: Log;
  /** Called once. */
  readonly stop: (how: { readonly keepsPrograms: boolean }) => Promise<void>;
  /** Default `process.exit`. */
  readonly exit?: (code: number) => void;
  readonly deadlineMs?: number;
  readonly now?: () => number;
}

/** In order at the first signal; at once at the second, or when that takes too long. */
export function endOnSignals(options: ShutdownOptions): Disposable {
  const { log, stop, deadlineMs = DEADLINE_MS } = options;
  const exit = options.exit ?? ((code: number) => process.exit(code));
  const now = options.now ?? (() => performance.now());
  let endingSince: number | undefined;
  const handleSignal = (signal: NodeJS.Signals): void => {
    if (endingSince !== undefined) {
      if (now() - endingSince < SAME_SIGNAL_MS) return;
      log.warn("ended at once by a second signal", { signal });
      exit(FAILED);
      return;
    }
    endingSince = now();
    log.info("ending", { signal });
    setTimeout(() => {
      log.error("ending took too long", { durationMs: deadlineMs });
      exit(FAILED);
    }, deadlineMs).unref();
    stop({ keepsPrograms: signal === KEEPING_SIGNAL }).then(
      () => exit(0),
      (error: unknown) => {
        log.error("ending failed", { error });
        exit(FAILED);
      },
    );
  };
  for (const signal of SIGNALS) process.on(signal, handleSignal);
  return {
    [Symbol.dispose]: () => {
      for (const signal of SIGNALS) process.off(signal, handleSignal);
    },
  };
}

/** A daemon ends in a few seconds, or kills itself; a very busy machine takes longer. */
const MAX_WAIT_MS = 30_000;

/** No event reports the end of a process that is not a child. */
const LOOK_MS = 20;

/** Resolves when it is gone; leaves alone a process that only has its pid. */
export async function stopDaemon(
  daemon: Pick<Discovery, "pid" | "startTime">,
  { keepsPrograms = false }: { readonly keepsPrograms?: boolean } = {},
): Promise<void> {
  const { pid } = daemon;
  if (!isStillRunning(daemon)) return;
  process.kill(pid, keepsPrograms ? KEEPING_SIGNAL : "SIGTERM");
  const deadline = performance.now() + MAX_WAIT_MS;
  while (isStillRunning(daemon)) {
    if (performance.now() > deadline) {
      throw new NacreError("timeout", `the daemon with pid ${pid} has not ended after 30 s`, {
        suggestion: `Look at its log; \`kill -9 ${pid}\` ends it, and recordings stay readable.`,
      });
    }
    await delay(LOOK_MS);
  }
}
