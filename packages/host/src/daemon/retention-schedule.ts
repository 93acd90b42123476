import { uptime } from "node:os";
import type { Config } from "../config/config.ts";
import type { Recordings } from "../recording/recordings.ts";
import type { Log } from "./log.ts";

/** Ages are set in days. */
const INTERVAL_MS = 24 * 60 * 60 * 1000;

/** Clock corrections are smaller. */
const MAX_JUMP_MS = 60 * 60 * 1000;

export interface RetentionScheduleOptions {
  readonly config: Config;
  readonly recordings: Pick<Recordings, "applyRetention">;
  readonly log: Log;
  /** Counts while the machine sleeps, and nobody sets it; default: the system's. */
  steadyMs?(this: void): number;
}

/** At the start and then daily; nothing when everything is kept. */
export function scheduleRetention({
  config,
  recordings,
  log,
  steadyMs = () => uptime() * 1000,
}: RetentionScheduleOptions): Disposable {
  const policy = {
    ...(config.retentionMaxAgeMs === undefined ? {} : { maxAgeMs: config.retentionMaxAgeMs }),
    ...(config.retentionMaxTerminalBytes === undefined
      ? {}
      : { maxTerminalBytes: config.retentionMaxTerminalBytes }),
    ...(config.retentionMaxTotalBytes === undefined
      ? {}
      : { maxTotalBytes: config.retentionMaxTotalBytes }),
  };
  if (Object.keys(policy).length === 0) return { [Symbol.dispose]: () => {} };
  let told = { wall: Date.now(), steady: steadyMs() };
  const apply = (): void => {
    const now = { wall: Date.now(), steady: steadyMs() };
    const jumpMs = now.wall - told.wall - (now.steady - told.steady);
    told = now;
    // After a jump, a recording of yesterday may look a year old; the next run decides.
    if (Math.abs(jumpMs) > MAX_JUMP_MS) {
      log.warn("the clock jumped, so nothing is removed this time", { durationMs: jumpMs });
      return;
    }
    recordings.applyRetention(policy).then(
      (removed) => log.info("removed what the settings do not keep", { count: removed.length }),
      (error: unknown) => log.error("removing what the settings do not keep failed", { error }),
    );
  };
  apply();
  const timer = setInterval(apply, INTERVAL_MS).unref();
  return { [Symbol.dispose]: () => clearInterval(timer) };
}
