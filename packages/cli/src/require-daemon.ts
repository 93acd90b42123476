import { NacreError } from "@nacre/contracts/error";
import type { Discovery } from "@nacre/host";
import { countPrograms } from "./keep-programs.ts";
import { requireHome } from "./require-home.ts";

/** The daemon that this environment means, or `unavailable` when it does not run. */
export async function requireDaemon(): Promise<Discovery> {
  requireHome();
  const { findDaemon, findKeeper, ownDirectories } = await import("@nacre/host");
  const directories = ownDirectories();
  const { home, run } = directories;
  const daemon = findDaemon(run);
  if (daemon) return daemon;
  const keeper = findKeeper(directories);
  if (keeper) {
    const message = `no daemon runs for ${home}, but the keeper with pid ${keeper.pid} has ${countPrograms(keeper.programs)}`;
    throw new NacreError("unavailable", message, {
      suggestion: "Go on with `nacre restart`, or end everything with `nacre stop`.",
    });
  }
  throw new NacreError("unavailable", `no daemon runs for ${home}`, {
    suggestion: "Start one with `nacre serve`.",
  });
}
