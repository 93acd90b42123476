import { uptime } from "node:os";
import type { Config } from "../config/config.ts";
import type { Recordings } from "../recording/recordings.ts";
import type { Log } from "./log.ts";

/** Ages are counted in days by whoever sets them; looking once a day is often enough. */
const INTERVAL_MS = 24 * 60 * 60 * 1000;

/** A clock that is corrected moves by less. */
const MAX_JUMP_MS = 60 * 60 * 1000;

export interface RetentionScheduleOptions {
  readonly config: Config;
  readonly recordings: Pick<Recordings, "applyRetention">;
  readonly log: Log;
  /** A clock that nobody sets, and that also counts while the machine sleeps; the system's own when absent. */
  steadyMs?(this: void): number;
}

/** Removes what the settings do not keep, at the start and then daily; nothing when they keep everything. */
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
    // What looks a year old may be of yesterday: whether the clock is right now, the next time tells.
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
