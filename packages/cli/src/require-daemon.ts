import { NacreError } from "@nacre/contracts/error";
import type { Discovery } from "@nacre/host";

/** The daemon that this environment means, or `unavailable` when it does not run. */
export async function requireDaemon(): Promise<Discovery> {
  const { findDaemon, ownDirectories } = await import("@nacre/host");
  const { home, run } = ownDirectories();
  const daemon = findDaemon(run);
  if (daemon) return daemon;
  throw new NacreError("unavailable", `no daemon runs for ${home}`, {
    suggestion: "Start one with `nacre serve`.",
  });
}
