import type { Config } from "../config/config.ts";
import type { Recordings } from "../recording/recordings.ts";
import type { Log } from "./log.ts";

/** Ages are counted in days by whoever sets them; looking once a day is often enough. */
const INTERVAL_MS = 24 * 60 * 60 * 1000;

/** What a schedule works with. */
export interface RetentionScheduleOptions {
  readonly config: Config;
  readonly recordings: Pick<Recordings, "applyRetention">;
  readonly log: Log;
}

/** Removes what the settings do not keep, at the start and then daily; nothing when they keep everything. */
export function scheduleRetention({
  config,
  recordings,
  log,
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
  const apply = (): void => {
    recordings.applyRetention(policy).then(
      (removed) => log.info("removed what the settings do not keep", { count: removed.length }),
      (error: unknown) => log.error("removing what the settings do not keep failed", { error }),
    );
  };
  apply();
  const timer = setInterval(apply, INTERVAL_MS).unref();
  return { [Symbol.dispose]: () => clearInterval(timer) };
}
